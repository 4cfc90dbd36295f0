/* The header must be good C99 by itself, in any order with others, and twice. */
#include <weft/weft.h>

/* Functions of the header that nobody calls are no reason for a warning. */
int weft_test_c_header(void);
int weft_test_c_header(void) { return WEFT_SUCCESS; }
