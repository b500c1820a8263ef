// The files of the store: where each thing lies, and how an entry comes to be whole.
//   objects/<2 hex>/<key>/entry.json and parts   staging/<client>-<n>/   clients/<client>.lock
//   takes/<take>.log   index.lock   index.db
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/cache/chunk_store.h"

namespace loquor::cache {

// One thread at a time. Errors name the path and say what to do.
class StoreFolder
{
public:
    StoreFolder(std::filesystem::path root, std::function<int(CommitStep)> atStep);

    const std::filesystem::path& root() const { return m_root; }
    std::filesystem::path entry(const std::string& key) const;
    std::filesystem::path objects() const { return m_root / "objects"; }
    std::filesystem::path stagings() const { return m_root / "staging"; }
    std::filesystem::path takes() const { return m_root / "takes"; }
    std::filesystem::path clients() const { return m_root / "clients"; }
    std::filesystem::path indexLock() const { return m_root / "index.lock"; }
    std::filesystem::path index() const { return m_root / "index.db"; }

    // Makes root and the folders below it.
    Result<> make() const;
    // Calls the hook of the tests.
    Result<> step(CommitStep step, const std::filesystem::path& at) const;

    Result<std::filesystem::path> makeStaging(const std::string& client);
    // Sizes, checksums and entry.json of a staged folder, all of it on the disk when this returns.
    Result<EntryInfo> seal(const std::filesystem::path& staging, const EntryFacts& facts,
                           const std::string& createdAt) const;
    // Gives a sealed folder its final name. False when an entry of that name is there already.
    Result<bool> publish(const std::filesystem::path& staging, const std::string& key) const;

    bool exists(const std::string& key) const;
    // NotFound, Corrupt, Unsupported (of a newer version).
    Result<EntryInfo> read(const std::string& key) const;
    // All parts are there with the right sizes and checksums.
    Result<> check(const EntryInfo& entry, const CancelToken& cancel = {}) const;
    // At once invisible, then gone; `client` owns the place it goes through.
    Result<> remove(const std::string& key, const std::string& client);
    // Whatever is there, with all that is in it; best effort.
    static void erase(const std::filesystem::path& folder);

    // All names that look like entries, sorted.
    Result<std::vector<std::string>> entryKeys() const;

private:
    Result<> checkNames(const std::filesystem::path& staging, const EntryFacts& facts) const;
    Result<PartInfo> sealPart(const std::filesystem::path& file, const std::string& name) const;
    std::filesystem::path m_root;
    std::function<int(CommitStep)> m_atStep;
    std::uint64_t m_stagingCount = 0;
};

// An Error from errno with advice on a full disk or a lack of rights.
Error storeError(int errnum, const std::string& what, const std::filesystem::path& path);

} // namespace loquor::cache
