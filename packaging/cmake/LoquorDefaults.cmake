# Compiler settings and third-party look-up shared by all targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# moc of Qt 6.4 cannot parse C++20 standard headers; it needs none of them, so it is not shown where they are.
set(CMAKE_AUTOMOC_COMPILER_PREDEFINES OFF)
list(FILTER CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES EXCLUDE REGEX "c\\+\\+")
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

# Installed programs find the libraries that set-up put into the data folder.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

find_program(LOQUOR_CCACHE ccache)
if(LOQUOR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # pch_defines and time_macros let ccache serve files that use a precompiled header; the base folder makes
  # every clone of the tree share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;${LOQUOR_CCACHE}")
endif()
find_program(LOQUOR_MOLD mold)
if(LOQUOR_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Folder filled by packaging/setup.sh: libtorch/, sherpa-onnx/, pocketsphinx/, models/.
if(NOT LOQUOR_DEPS_DIR)
  execute_process(COMMAND bash -c ". packaging/setup/lib.sh && data_folder" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE LOQUOR_DEPS_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(APPEND LOQUOR_DEPS_DIR "/deps")
endif()

# Compile options every target of this project uses.
add_library(loquor_options INTERFACE)
add_library(Loquor::options ALIAS loquor_options)
target_compile_features(loquor_options INTERFACE cxx_std_20)
target_compile_options(loquor_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch-enum
  # GCC 12 sees overlaps in std::string concatenation that are not there (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # Clang shows what GCC 12's own headers deprecate and use (std::stable_sort); GCC still looks at ours.
  $<$<AND:$<CXX_COMPILER_ID:Clang>,$<BOOL:${LOQUOR_WERROR}>>:-Wno-deprecated-declarations>
  $<$<BOOL:${LOQUOR_WERROR}>:-Werror>)
target_compile_definitions(loquor_options INTERFACE QT_NO_KEYWORDS QT_NO_CAST_TO_ASCII)
target_include_directories(loquor_options INTERFACE "${PROJECT_SOURCE_DIR}")
find_package(Threads REQUIRED)
target_link_libraries(loquor_options INTERFACE Threads::Threads)

include(LoquorThirdParty)
