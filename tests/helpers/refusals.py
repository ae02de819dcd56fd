"""Go through tables of what is refused: `{error class: {advice: call, or a list of calls, that raise it}}`."""


def refused(table):
    """Return `(error, advice, call)` of each call of a table."""
    return [
        (error, advice, call)
        for error, advised in table.items()
        for advice, calls in advised.items()
        for call in (calls if isinstance(calls, list) else [calls])
    ]
