// What setup.py or a test of this code makes small or large in a build; these are the usual values.

#pragma once

// Whether other threads may change a list while it is read.
#ifndef CYBLEU_OTHER_THREADS_RUN
  #ifdef Py_GIL_DISABLED
    #define CYBLEU_OTHER_THREADS_RUN 1
  #else
    #define CYBLEU_OTHER_THREADS_RUN 0
  #endif
#endif

// Whether probed slots of hash tables are counted.
#ifndef CYBLEU_COUNTS_SLOTS
  #define CYBLEU_COUNTS_SLOTS 0
#endif

// The rows of a table of TER that are in memory.
#ifndef CYBLEU_ROWS_AT_ONCE
  #define CYBLEU_ROWS_AT_ONCE 131072
#endif
