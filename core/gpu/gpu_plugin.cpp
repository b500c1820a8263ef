#include "core/gpu/gpu_plugin.h"

#include <dlfcn.h>

#include <array>

#include "core/gpu/plugin/plugin_abi.h"

namespace loquor::gpu {

struct GpuPlugin::Impl
{
    LoquorGpuDevicesFunction devices = nullptr;
};

namespace {

constexpr int kMaxDevices = 64;

template<class Function>
Function symbol(void* library, const char* name)
{
    return reinterpret_cast<Function>(dlsym(library, name));
}

} // namespace

GpuPlugin::GpuPlugin() : m(std::make_unique<Impl>())
{
}

GpuPlugin::~GpuPlugin() = default;

std::filesystem::path GpuPlugin::defaultPath()
{
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    const auto beside = program / "loquor_cuda.so";
    return std::filesystem::exists(beside, error) ? beside : program / ".." / "lib" / "loquor_cuda.so";
}

Result<std::unique_ptr<GpuPlugin>> GpuPlugin::load(const std::filesystem::path& file)
{
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return fail(ErrorCode::NotFound, "No GPU plug-in at " + file.string() + ": this build runs on the CPU.");
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* reason = dlerror();
        return fail(ErrorCode::Unreadable,
                    "The GPU plug-in does not load: " + std::string(reason ? reason : "unknown reason") +
                        ". Run packaging/setup.sh --cuda to install its libraries.");
    }
    const auto abi = symbol<LoquorGpuAbiFunction>(library, "loquorGpuAbi");
    std::unique_ptr<GpuPlugin> plugin(new GpuPlugin);
    plugin->m->devices = symbol<LoquorGpuDevicesFunction>(library, "loquorGpuDevices");
    if (!abi || !plugin->m->devices || abi() != LOQUOR_GPU_ABI)
        return fail(ErrorCode::Unsupported,
                    "The GPU plug-in " + file.string() + " belongs to another version of Loquor: build it again.");
    return plugin;
}

Result<std::vector<GpuDevice>> GpuPlugin::devices() const
{
    std::array<LoquorGpuDevice, kMaxDevices> raw{};
    std::array<char, 512> error{};
    const int count = m->devices(raw.data(), kMaxDevices, error.data(), static_cast<int32_t>(error.size()));
    if (count < 0)
        return fail(ErrorCode::Unsupported, "The GPUs cannot be used: " + std::string(error.data()));
    std::vector<GpuDevice> out;
    for (int i = 0; i < std::min(count, kMaxDevices); ++i) {
        const LoquorGpuDevice& d = raw[static_cast<std::size_t>(i)];
        out.push_back({d.index, d.name, d.memoryBytes, d.computeMajor, d.computeMinor, d.selfTestPassed != 0});
    }
    return out;
}

} // namespace loquor::gpu
