# weft_expand(input output): a Fortran source from one with loops. Fortran has no templates: each combination of types and
# ranks is a procedure of its own, and they differ in their declarations only.
#
#   !for RANK in 1 3 4
#   !for PRECISION in single double
#     subroutine work_@PRECISION@_@RANK@(x)
#       @REAL@, intent(in)@CONTIGUOUS@ :: x(@DIMENSIONS@)
#   !end
#
# Consecutive lines of !for are nested, and one !end ends them all. Beside the loops' own variables there are those that
# `_weft_derive` makes of them, and everywhere @PROBLEM@ and @PROBLEM_TYPES@: the arguments that say what is transformed; and
# @OPERATOR_PROBLEM@ and @OPERATOR_PROBLEM_TYPES@, those of operators.

set(WEFT_FORTRAN_PROBLEM [[
&
        kind, precision, batch, normalization, interleaved, padded_rows, &
        input_order, output_order, modes, points]])
set(WEFT_FORTRAN_PROBLEM_TYPES [[
character(len=*), intent(in), optional :: kind, precision, normalization
    integer, intent(in), optional :: batch, input_order(:), output_order(:), modes(:), points(:)
    logical, intent(in), optional :: interleaved, padded_rows]])

set(WEFT_FORTRAN_OPERATOR_PROBLEM [[
&
        kind, precision, batch, normalization, lengths, modes, points]])
set(WEFT_FORTRAN_OPERATOR_PROBLEM_TYPES [[
character(len=*), intent(in), optional :: kind, precision, normalization
    integer, intent(in), optional :: batch, modes(:), points(:)
    real(c_double), intent(in), optional :: lengths(:)]])

macro(_weft_derive)
  # The ranks of arrays: RANK, or RANKS of two. Those of rank 1 are assumed size: nothing is known of their extent.
  if("${RANKS}" MATCHES "^(.)_(.)$")
    set(FIRST_RANK ${CMAKE_MATCH_1})
    set(SECOND_RANK ${CMAKE_MATCH_2})
  endif()
  foreach(prefix "" FIRST_ SECOND_)
    if(DEFINED ${prefix}RANK)
      # Those of pointers are known, also of rank 1.
      string(REPEAT ", :" ${${prefix}RANK} ${prefix}COLONS)
      string(SUBSTRING "${${prefix}COLONS}" 2 -1 ${prefix}COLONS)
      if(${prefix}RANK EQUAL 1)
        set(${prefix}DIMENSIONS "*")
        set(${prefix}CONTIGUOUS "")
        set(${prefix}EXTENTS "array%axes = 0")
      else()
        set(${prefix}CONTIGUOUS ", contiguous")
        set(${prefix}EXTENTS "array%axes = ${${prefix}RANK}\n    array%extents(:${${prefix}RANK}) = shape(x, int64)")
        set(${prefix}DIMENSIONS "${${prefix}COLONS}")
      endif()
    endif()
  endforeach()
  # The types of numbers: REAL and COMPLEX, and those of what IN, OUT and TYPE name.
  if(DEFINED PRECISION)
    string(COMPARE EQUAL ${PRECISION} single single)
    if(single)
      set(REAL "real(c_float)")
      set(COMPLEX "complex(c_float_complex)")
    else()
      set(REAL "real(c_double)")
      set(COMPLEX "complex(c_double_complex)")
    endif()
    if("${IN_OUT}" MATCHES "^(.*)_(.*)$")
      set(IN ${CMAKE_MATCH_1})
      set(OUT ${CMAKE_MATCH_2})
    endif()
    foreach(end IN ITEMS TYPE IN OUT)
      if(DEFINED ${end})
        string(TOUPPER ${${end}} type)
        set(${end}_TYPE "${${type}}")
      endif()
    endforeach()
  endif()
  # Communicators: integers, and those of mpi_f08.
  if("${COMM}" STREQUAL "f08")
    set(COMM_TYPE "type(MPI_Comm)")
    set(COMM_VALUE "comm%MPI_VAL")
  else()
    set(COMM_TYPE "integer")
    set(COMM_VALUE "comm")
  endif()
endmacro()

# Appends the body, for all values of the loops, to `expanded` of the caller.
function(_weft_repeat body)
  if(NOT ARGN)
    _weft_derive()
    string(CONFIGURE "${body}" text @ONLY)
    string(APPEND expanded "${text}")
  else()
    set(loops ${ARGN})
    list(POP_FRONT loops loop)
    string(REGEX MATCH "^([A-Z_]+) in (.*)$" loop "${loop}")
    set(name ${CMAKE_MATCH_1})
    separate_arguments(values UNIX_COMMAND "${CMAKE_MATCH_2}")
    foreach(${name} IN LISTS values)
      _weft_repeat("${body}" ${loops})
    endforeach()
  endif()
  set(expanded "${expanded}" PARENT_SCOPE)
endfunction()

function(weft_expand input output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${input})
  file(READ ${input} rest)
  set(expanded "")
  set(PROBLEM "${WEFT_FORTRAN_PROBLEM}")
  set(PROBLEM_TYPES "${WEFT_FORTRAN_PROBLEM_TYPES}")
  set(OPERATOR_PROBLEM "${WEFT_FORTRAN_OPERATOR_PROBLEM}")
  set(OPERATOR_PROBLEM_TYPES "${WEFT_FORTRAN_OPERATOR_PROBLEM_TYPES}")
  while(rest MATCHES "(^|\n)!for ")
    string(FIND "${rest}" "${CMAKE_MATCH_0}" at)
    string(LENGTH "${CMAKE_MATCH_1}" newline)
    math(EXPR at "${at} + ${newline}")
    string(SUBSTRING "${rest}" 0 ${at} before)
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(APPEND expanded "${before}")
    set(loops "")
    while(rest MATCHES "^!for ([^\n]*)\n")
      list(APPEND loops "${CMAKE_MATCH_1}")
      string(LENGTH "${CMAKE_MATCH_0}" length)
      string(SUBSTRING "${rest}" ${length} -1 rest)
    endwhile()
    string(FIND "${rest}" "!end\n" end)
    if(end EQUAL -1)
      message(FATAL_ERROR "${input}: a !for without !end")
    endif()
    string(SUBSTRING "${rest}" 0 ${end} body)
    math(EXPR end "${end} + 5")
    string(SUBSTRING "${rest}" ${end} -1 rest)
    list(TRANSFORM loops REPLACE "@COMMUNICATORS@" "${WEFT_FORTRAN_COMMUNICATORS}")
    _weft_repeat("${body}" ${loops})
  endwhile()
  string(APPEND expanded "${rest}")
  # Touched only when it has changed.
  file(CONFIGURE OUTPUT ${output} CONTENT "${expanded}" @ONLY)
endfunction()
