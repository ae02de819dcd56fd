// Steps from one column of the table of an alignment to the next, in 64 rows at once. In C, because sums wrap, which
// raises errors in checked builds of Cython.
//
// Cell (i, j) of the table is of the first i words of one text and the first j of the other. Two neighbours of a column
// differ by at most one, so that two bits for each row have the column, and by the words of the rows that equal the next
// word of the other text, `matches`, the next column is computed by a few operations on whole words of the machine.

#pragma once
#include <stdint.h>

// How a column changes from row to row. Of a Levenshtein distance: where it grows or falls by one from the row above.
// Of a longest common subsequence: `raised` is where it does not grow.
typedef struct {
    uint64_t raised;
    uint64_t lowered;
} cybleu_column;

// Hyyro 2004, "Bit-parallel LCS-length computation revisited". Between two rows where the length grows by one, the sum
// carries the lowest match of the rows there up to where it grew before: it grows at the match now, and no more there.
// Returns the carry out of these rows; `carried` is that out of the rows above.
static inline uint8_t cybleu_next_common(cybleu_column *column, uint64_t matches, uint8_t carried) {
    uint64_t raised = column->raised;
    uint64_t sum;
    uint8_t carry;
    matches &= raised;
    sum = raised + matches;
    carry = (uint8_t)(sum < raised);
    sum += carried;
    column->raised = sum | (raised - matches);
    return (uint8_t)(carry | (sum < carried));
}

// Hyyro 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", after Myers 1999.
// `diagonal` is where a cell equals the one up to the left: at a match, where the sum carries one down a run of raised
// rows, or below a lowered one. From it follows where cells are one more or one less than those on their left, `right`
// and `left`, and from these how the next column changes from row to row.
// `above` is how the distance changes from column to column in the row above: 1 if it grows, 2 if it falls, else 0.
// Returns the same of row `last`.
static inline uint8_t cybleu_next_distance(cybleu_column *column, uint64_t matches, uint8_t above, int last) {
    uint64_t raised = column->raised;
    uint64_t equal = matches | (uint64_t)(above >> 1);
    uint64_t diagonal = (((equal & raised) + raised) ^ raised) | equal | column->lowered;
    uint64_t right = column->lowered | ~(diagonal | raised);
    uint64_t left = diagonal & raised;
    uint8_t below = (uint8_t)((right >> last & 1) | (left >> last & 1) << 1);
    right = right << 1 | (uint64_t)(above & 1);
    left = left << 1 | (uint64_t)(above >> 1);
    column->raised = left | ~(diagonal | right);
    column->lowered = right & diagonal;
    return below;
}
