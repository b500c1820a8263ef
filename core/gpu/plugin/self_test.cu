#include "core/gpu/plugin/self_test.h"

#include <cuda_runtime.h>

#include <vector>

namespace loquor::gpu {

namespace {

__global__ void saxpy(int n, float a, const float* x, float* y)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

struct DeviceBuffer
{
    float* data = nullptr;
    explicit DeviceBuffer(size_t count)
    {
        if (cudaMalloc(&data, count * sizeof(float)) != cudaSuccess)
            data = nullptr;
    }
    ~DeviceBuffer() { cudaFree(data); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
};

} // namespace

bool runSelfTest()
{
    const int n = 1 << 20;
    const float a = 0.5f;
    const size_t bytes = n * sizeof(float);
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i % 1024);
        y[i] = static_cast<float>(i % 7);
    }
    DeviceBuffer dx(n), dy(n);
    if (!dx.data || !dy.data || cudaMemcpy(dx.data, x.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess ||
        cudaMemcpy(dy.data, y.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
        return false;
    saxpy<<<(n + 255) / 256, 256>>>(n, a, dx.data, dy.data);
    std::vector<float> result(n);
    if (cudaGetLastError() != cudaSuccess ||
        cudaMemcpy(result.data(), dy.data, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
    for (int i = 0; i < n; ++i) {
        if (result[i] != a * x[i] + y[i]) // exact: halves of small integers
            return false;
    }
    return true;
}

} // namespace loquor::gpu
