#!/bin/sh
# Compiles and runs the programs of this folder, and writes results.json. It needs nvcc and a GPU of NVIDIA.
#   NVCC  the compiler, default nvcc
#   ARCH  the architecture, default that of the device, such as sm_90
set -eu
cd "$(dirname "$0")"
NVCC=${NVCC:-nvcc}
export NVCC
"$NVCC" -x c++ -O2 -std=c++17 runner.cpp -o runner -ldl
ARCH=${ARCH:-$(./runner --architecture)}
export ARCH
find programs -name '*.cu' | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I '{}' sh -c \
  'f=${1%.cu}; "$NVCC" -cubin "-arch=$ARCH" $(cat "$f.flags") "$1" -o "$f.cubin"' sh '{}'
./runner
