import ObjectStore
import TestSupport
import Testing

/// The contract over each store that there is.
@Suite struct ObjectStoreContractTests {
    @Test("the store in memory keeps the contract", arguments: ObjectStoreContract.cases)
    func memory(_ requirement: ObjectStoreContract.Case) throws {
        try requirement.check(MemoryObjectStore())
    }

    @Test("the store that gives faults keeps the contract while none is ordered", arguments: ObjectStoreContract.cases)
    func faultless(_ requirement: ObjectStoreContract.Case) throws {
        try requirement.check(FaultyObjectStore(MemoryObjectStore()))
    }

    @Test("the store in memory keeps versions by the contract")
    func memoryVersions() throws {
        let store = MemoryObjectStore()
        for requirement in ObjectStoreContract.versionCases {
            do {
                try requirement.check(FaultyObjectStore(store)) { store.setVersioning($0) }
            } catch {
                Issue.record("\(requirement): \(error)")
            }
        }
    }

    @Test("the store in memory keeps the contract with small limits", arguments: ObjectStoreContract.uploadCases)
    func smallLimits(_ requirement: ObjectStoreContract.Case) throws {
        var capabilities = StoreCapabilities.ofMemory
        capabilities.minimumPartBytes = 10
        capabilities.maximumPartBytes = 200
        capabilities.maximumParts = 12
        try requirement.check(MemoryObjectStore(capabilities: capabilities))
    }
}
