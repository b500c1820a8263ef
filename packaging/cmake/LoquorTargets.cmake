# The three helper functions of the build: core library, test, bench.

# loquor_core_library(<folder> SOURCES ... HEADERS ... [PUBLIC ...] [PRIVATE ...] [AVX2 ...])
# Makes the static library loquor_<folder> with the alias Loquor::<folder>. HEADERS are the public
# ones: each is verified to compile alone. AVX2 lists sources compiled for AVX2 + FMA; they must be
# reached through a run-time check of the processor.
function(loquor_core_library folder)
  cmake_parse_arguments(A "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE;AVX2" ${ARGN})
  add_library(loquor_${folder} STATIC ${A_SOURCES} ${A_AVX2})
  add_library(Loquor::${folder} ALIAS loquor_${folder})
  target_sources(loquor_${folder} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${A_HEADERS})
  set_target_properties(loquor_${folder} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON AUTOMOC OFF)
  set(base)
  if(NOT folder STREQUAL "base")
    set(base Loquor::base)
  endif()
  target_link_libraries(loquor_${folder} PUBLIC Loquor::options ${base} ${A_PUBLIC} PRIVATE ${A_PRIVATE})
  if(A_AVX2)
    set_source_files_properties(${A_AVX2} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
  endif()
endfunction()

# loquor_test(<folder> SOURCES tst_a.cpp tst_b.cpp ... [LIBS ...] [LABELS ...] [TIMEOUT s])
# One program per folder (linking is the slow part); every tst_*.cpp is one CTest test of its own and
# holds one Qt Test class registered with LOQUOR_TEST(ClassName), named like the file: tst_rational.cpp
# registers "tst_rational". The label tsan: runs under the thread sanitizer too (target tsan_tests).
function(loquor_test folder)
  cmake_parse_arguments(A "" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 60)
  endif()
  math(EXPR A_TIMEOUT "${A_TIMEOUT} * ${LOQUOR_TEST_TIMEOUT_SCALE}")
  # Qt Test has a limit of its own for a function, five minutes; the one that counts is CTest's.
  math(EXPR functionTimeout "${A_TIMEOUT} * 1000")
  if(NOT A_LABELS)
    set(A_LABELS unit)
  endif()
  string(REPLACE "/" "_" target "test_${folder}")
  if("tsan" IN_LIST A_LABELS)
    add_dependencies(tsan_tests ${target})
  endif()
  add_executable(${target} ${A_SOURCES})
  set_target_properties(${target} PROPERTIES AUTOMOC ON)
  target_link_libraries(${target} PRIVATE Loquor::test_support ${A_LIBS})
  foreach(source IN LISTS A_SOURCES)
    get_filename_component(name "${source}" NAME_WE)
    if(name MATCHES "^tst_")
      add_test(NAME ${folder}.${name} COMMAND ${target} --class ${name})
      set_tests_properties(${folder}.${name} PROPERTIES TIMEOUT ${A_TIMEOUT} LABELS "${A_LABELS}"
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QT_LOGGING_RULES=qt.qpa.*=false;QTEST_FUNCTION_TIMEOUT=${functionTimeout}")
    endif()
  endforeach()
endfunction()

# loquor_bench(<name> SOURCES ... LIBS ...): a program `bench_<name>` that prints JSON.
function(loquor_bench name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(bench_${name} ${A_SOURCES})
  target_link_libraries(bench_${name} PRIVATE Loquor::options ${A_LIBS} CLI11::CLI11)
endfunction()
