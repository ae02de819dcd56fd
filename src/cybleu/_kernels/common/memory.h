// Items of arrays, whose type has the size.

#pragma once
#include <string.h>

#define CYBLEU_CLEAR_ITEMS(items, count) memset(items, 0, (size_t)(count) * sizeof *(items))
#define CYBLEU_COPY_ITEMS(to, items, count) memcpy(to, items, (size_t)(count) * sizeof *(items))
