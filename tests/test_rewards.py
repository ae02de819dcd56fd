"""BLEU as a reward: the scores, the forms of a batch, and the call of TRL's trainers."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sacrebleu.metrics.bleu import BLEU

import cybleu
from cybleu import errors
from cybleu.metrics import Bleu
from cybleu.rewards import RepetitionPenalty, Reward

PAD = 0
EOS = 1
REFERENCES = [[[5, 6, 7, 8, 9], [5, 6, 6]], [[3, 4]], [[9, 8, 7, 6, 5, 4, 3]]]
TEXTS = [[5, 6, 7, 8], [5], [], [3, 4], [4, 3, 4], [2, 2], [9, 8, 7, 6, 5, 4, 3], [9, 8], [6, 5, 4, 4, 4]]
OWNER = np.arange(3).repeat(3)


def completions(texts, width=9):
    rows = np.full((len(texts), width), PAD)
    for row, text in zip(rows, texts):
        row[: len(text) + 1] = [*text, EOS]
        row[len(text) + 2 :] = 7  # what a trainer leaves behind the end
    return rows


@pytest.mark.parametrize("smoothing", [None, "add-k", "floor", "none"])
@pytest.mark.parametrize("effective_order", [True, False])
def test_sentence_bleu_of_sacrebleu(smoothing, effective_order):
    rewards = cybleu.reward_scores(
        completions(TEXTS),
        REFERENCES,
        OWNER,
        pad_id=PAD,
        eos_id=EOS,
        smoothing=smoothing,
        effective_order=effective_order,
    )
    assert (rewards.dtype, rewards.shape) == (np.float32, (9,))
    for reward, text, owner in zip(rewards, TEXTS, OWNER):
        row = cybleu.rows([text], [REFERENCES[owner]])[0].tolist()
        theirs = BLEU.compute_bleu(
            row[2:6], row[6:], row[0], row[1], smoothing or "exp", None, effective_order=effective_order
        )
        assert reward == np.float32(theirs.score / 100)
    assert rewards[[2, 5]].tolist() == [0, 0]  # an empty sample, and one without a match


def trainer_call(reward, completions, completion_ids=None, **columns):
    """As TRL calls a reward function: a flat batch of prompts times generations, everything by keyword."""
    return reward(
        prompts=["p"] * len(completions),
        completions=completions,
        completion_ids=completion_ids or [[1]] * len(completions),
        trainer_state=None,
        **columns,
    )


def test_reward_function_on_text():
    reward = Reward(column="target", smoothing="add-k")
    texts = ["The cat sat.", "A cat sat down.", "It rains.", "It rains."]
    targets = ["The cat sat."] * 2 + [["It rains.", "Rain falls."]] * 2
    rewards = trainer_call(reward, texts, target=targets, other=[1] * 4)
    assert [type(number) for number in rewards] == [float] * 4
    tokens = [["The", "cat", "sat", "."], ["A", "cat", "sat", "down", "."], ["It", "rains", "."]]
    expected = cybleu.reward_scores(
        [*tokens, tokens[2]], [[tokens[0]], [tokens[2], ["Rain", "falls", "."]]], [0, 0, 1, 1], smoothing="add-k"
    )
    assert rewards == expected.tolist()
    chats = [[{"role": "assistant", "content": text}] for text in texts]
    assert trainer_call(reward, chats, target=targets) == rewards
    assert reward.__name__ == "bleu_target"


def test_of_chat_messages_only_those_of_the_assistant_count():
    said = lambda role, content: {"role": role, "content": content}  # noqa: E731
    picture = [{"type": "image_url", "image_url": "x"}]
    chats = [
        [said("assistant", "the cat"), said("user", "go on, please"), said("assistant", "sat down")],
        [said("assistant", None), said("tool", picture), said("assistant", "the cat sat down")],
        [said("system", "the cat"), said(None, "sat")],
        [said("assistant", [{"type": "text", "text": "the cat "}, {"type": "text", "text": "sat"}])],
        [],
    ]
    whole = ["the cat sat down"] * 5
    for reward in (Reward(tokenize=str.split), Reward(metric="chrf")):
        alone = trainer_call(
            reward, ["the cat\nsat down", "the cat sat down", "sat", "the cat sat", ""], references=whole
        )
        assert trainer_call(reward, chats, references=whole) == alone
    with pytest.raises(
        errors.SequenceTypeError, match=r"completions\[1\] has no message with .*'assistant'.* is 'model'"
    ):
        trainer_call(reward, [chats[0], [said("model", "the cat")]], references=["the cat", "the cat"])


def test_the_kind_of_the_column_decides_what_is_scored():
    reward = Reward(column="target")
    batch = {"completions": ["a b"], "completion_ids": [[1, 2]]}
    for one, other, hypotheses in (("a c", "b", ["a b"]), ([1, 3], [2], [[1, 2]])):
        for target, group in ((one, [one]), ([one, other], [one, other])):
            assert reward(**batch, target=[target]) == cybleu.reward_scores(hypotheses, [group]).tolist()
    with pytest.raises(errors.MixedTokensError, match="pass both in one form"):
        reward(completion_ids=[b"ab"], target=[[1, 2]])
    with pytest.raises(errors.MixedTokensError, match=r"references\[\d\]"):
        reward(completions=["a b"] * 2, completion_ids=[[1, 2]] * 2, target=["a b", [1, 2]])


@given(
    st.lists(st.lists(st.integers(0, 3), max_size=12), max_size=4),
    st.integers(1, 5),
    st.sampled_from([-1.0, -0.1, 0.0, -3]),
)
def test_the_share_of_repeated_ngrams(texts, n, penalty):
    found = RepetitionPenalty(n, penalty)(completion_ids=texts)
    for text, reward in zip(texts, found, strict=True):
        ngrams = [tuple(text[start : start + n]) for start in range(len(text) - n + 1)]
        repeated = 1 - len(set(ngrams)) / len(ngrams) if ngrams else 0
        assert reward == repeated * penalty and str(reward) != "-0.0"


@pytest.mark.parametrize(
    "nothing", [None, float("nan"), [], (), "", [None], [""], np.array(["", None]), type("NAType", (), {})()]
)
@pytest.mark.parametrize("reference", ["a b", [1, 2]])
def test_a_completion_without_references_is_left_out(reference, nothing):
    ids = [[1, 2], [1, 2], [3]]
    references = [nothing, reference, nothing]
    reward = Reward()
    with pytest.warns(UserWarning, match=r"references\[0\] has no reference, so the completion is left out") as caught:
        assert trainer_call(reward, ["a b", "a b", "c"], ids, references=references) == [None, pytest.approx(1), None]
    assert [found.filename for found in caught] == [__file__]
    assert trainer_call(reward, ["a b"], [[1, 2]], references=[nothing]) == [None]  # no second warning
    reward = Reward(missing=0.0)
    with pytest.warns(UserWarning, match="given the reward 0.0"):
        assert trainer_call(reward, ["a b"] * 2, ids[:2], references=references[:2]) == [0.0, pytest.approx(1)]


WITH_END = [[1, 3, 4, 5, 2], [1, 3, 2]]


@pytest.mark.parametrize("as_ids", [list, np.array, tuple])
def test_an_end_token_that_no_reference_has_issues_one_warning_for_each_reward(as_ids):
    reward = Reward(column="ids")
    batch = {"completion_ids": list(map(as_ids, WITH_END)), "ids": [[1, 3, 4, 5]] * 2}
    with pytest.warns(UserWarning, match=r"ends with the id 2, .* pass eos_id=2") as caught:
        first = reward(**batch)
    assert [found.filename for found in caught] == [__file__]
    # no second warning
    assert reward(**batch) == first == cybleu.reward_scores(WITH_END, batch["ids"]).tolist()


@pytest.mark.parametrize(
    ("options", "completions", "references"),
    [
        ({"eos_id": 2}, WITH_END, [[1, 3, 4, 5]] * 2),
        ({"pad_id": 2}, WITH_END, [[1, 3, 4, 5]] * 2),
        ({}, WITH_END, [[1, 3, 4, 5], [7, 2]]),
        ({}, WITH_END, [[[1, 3, 4, 5], [7, 2]]] * 2),
        ({}, [*WITH_END, [1, 3]], [[1, 3, 4, 5]] * 3),
        ({}, [*WITH_END, []], [[1, 3, 4, 5]] * 3),
        ({}, WITH_END[:1], [[1, 3, 4, 5]]),
    ],
    ids=["end given", "padding", "in a reference", "in one of several", "another end", "an empty one", "one alone"],
)
def test_other_ends_of_completions_issue_no_warning(options, completions, references):
    rewards = Reward(column="ids", **options)(completion_ids=completions, ids=references)
    assert len(rewards) == len(completions)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_sample_of_one_prompt_is_scored(count):
    texts = ["a b c d", "a b c x", "a x", "d c b a", "a b"][:count]
    rewards = trainer_call(Reward(), texts, references=["a b c d"] * count)
    assert rewards == [Reward()(completions=[text], references=["a b c d"])[0] for text in texts]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "bleu_references"),
        ({"metric": "nltk:method1"}, "nltk_method1_references"),
        ({"metric": Bleu("moses"), "column": "mine"}, "moses_mine"),
        ({"metric": {"bleu": 1, "chrf": 3}}, "0.25*sacrebleu+0.75*chrf_references"),
        ({"metric": "ter", "name": "my reward"}, "my reward"),
    ],
)
def test_rewards_can_be_told_apart(options, name):
    reward = Reward(**options)
    assert reward.__name__ == pickle.loads(pickle.dumps(reward)).__name__ == name
    assert repr(reward).startswith(f"<Reward {name}: ")
    assert "eff:no" not in repr(Reward())  # as single sentences are scored
