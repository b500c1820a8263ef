# Third-party libraries. Each is linked PRIVATE by its one owner folder; see core/DESIGN.md.
find_package(PkgConfig REQUIRED)

# Makes the imported target Loquor3::<name> from a pkg-config package.
function(loquor_pkg name)
  pkg_check_modules(LQPKG_${name} REQUIRED IMPORTED_TARGET ${ARGN})
  add_library(Loquor3::${name} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(Loquor3::${name} INTERFACE PkgConfig::LQPKG_${name})
endfunction()

loquor_pkg(ffmpeg libavformat libavcodec libavutil libswscale libswresample libavfilter)
loquor_pkg(fontconfig fontconfig)
loquor_pkg(ass libass)
loquor_pkg(lcms2 lcms2)
loquor_pkg(crypto libcrypto)
loquor_pkg(sqlite sqlite3)
loquor_pkg(codecs libjpeg libpng libwebp libwebpdemux libtiff-4)
loquor_pkg(portaudio portaudio-2.0)
loquor_pkg(ebur128 libebur128)
loquor_pkg(hwloc hwloc)
loquor_pkg(espeak espeak-ng)
loquor_pkg(icu icu-uc icu-i18n)
loquor_pkg(expat expat)
loquor_pkg(zip libzip)
loquor_pkg(sentencepiece sentencepiece)

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)

# OpenCV: image arithmetic of the reference stage and of the measures, core and imgproc only.
# Debian's own CMake package insists on every module that is installed, so the two are looked up here.
find_path(LOQUOR_OPENCV_INCLUDE opencv2/imgproc.hpp PATH_SUFFIXES opencv4 REQUIRED)
find_library(LOQUOR_OPENCV_CORE opencv_core REQUIRED)
find_library(LOQUOR_OPENCV_IMGPROC opencv_imgproc REQUIRED)
add_library(Loquor3::opencv INTERFACE IMPORTED GLOBAL)
target_include_directories(Loquor3::opencv SYSTEM INTERFACE "${LOQUOR_OPENCV_INCLUDE}")
target_link_libraries(Loquor3::opencv INTERFACE "${LOQUOR_OPENCV_IMGPROC}" "${LOQUOR_OPENCV_CORE}")

find_path(LOQUOR_QHULL_INCLUDE libqhull_r/libqhull_r.h REQUIRED)
find_library(LOQUOR_QHULL qhull_r REQUIRED)
add_library(Loquor3::qhull INTERFACE IMPORTED GLOBAL)
target_include_directories(Loquor3::qhull SYSTEM INTERFACE "${LOQUOR_QHULL_INCLUDE}")
target_link_libraries(Loquor3::qhull INTERFACE "${LOQUOR_QHULL}")

# Libraries that packaging/setup.sh unpacks from PyPI packages.
set(LibTorch_ROOT "${LOQUOR_DEPS_DIR}/libtorch")
if(LOQUOR_CUDA)
  set(LibTorch_CUDA_ROOT "${LOQUOR_DEPS_DIR}/libtorch-cuda")
endif()
find_package(LibTorch 2.15 REQUIRED)

if(LOQUOR_CUDA)
  if(NOT TARGET LibTorch::cuda)
    message(FATAL_ERROR "The preset cuda needs the CUDA set of LibTorch: run packaging/setup.sh --cuda")
  endif()
  find_package(CUDAToolkit 13.0 REQUIRED)
endif()

find_path(LOQUOR_SHERPA_INCLUDE sherpa-onnx/c-api/c-api.h
          PATHS "${LOQUOR_DEPS_DIR}/sherpa-onnx/include" NO_DEFAULT_PATH REQUIRED)
find_library(LOQUOR_SHERPA sherpa-onnx-c-api PATHS "${LOQUOR_DEPS_DIR}/sherpa-onnx/lib" NO_DEFAULT_PATH REQUIRED)
find_library(LOQUOR_ORT onnxruntime PATHS "${LOQUOR_DEPS_DIR}/sherpa-onnx/lib" NO_DEFAULT_PATH REQUIRED)
add_library(Loquor3::sherpa INTERFACE IMPORTED GLOBAL)
target_include_directories(Loquor3::sherpa SYSTEM INTERFACE "${LOQUOR_SHERPA_INCLUDE}")
target_link_libraries(Loquor3::sherpa INTERFACE "${LOQUOR_SHERPA}" "${LOQUOR_ORT}")

find_path(LOQUOR_PS_INCLUDE pocketsphinx.h PATHS "${LOQUOR_DEPS_DIR}/pocketsphinx/include" NO_DEFAULT_PATH REQUIRED)
find_library(LOQUOR_PS pocketsphinx PATHS "${LOQUOR_DEPS_DIR}/pocketsphinx/lib" NO_DEFAULT_PATH REQUIRED)
add_library(Loquor3::pocketsphinx INTERFACE IMPORTED GLOBAL)
target_include_directories(Loquor3::pocketsphinx SYSTEM INTERFACE "${LOQUOR_PS_INCLUDE}")
target_link_libraries(Loquor3::pocketsphinx INTERFACE "${LOQUOR_PS}")

if(LOQUOR_BUILD_STUDIO OR LOQUOR_BUILD_TESTS)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core)
endif()
if(LOQUOR_BUILD_STUDIO)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Gui Widgets Svg LinguistTools)
endif()
if(LOQUOR_BUILD_TESTS)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
endif()
