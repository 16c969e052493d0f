import MatterWire

/// The transitions that several clusters share: what the fail-safe and the window lead to.
extension VirtualNode {
    /// Translates the window machine's actions.
    mutating func perform(_ actions: [CommissioningWindowMachine.Action]) {
        for action in actions {
            switch action {
            case .listen(let window): emit(.windowOpened(window))
            case .stopListening: emit(.windowClosed)
            case .statusChanged:
                for attribute: UInt32 in 0...2 { changed(.administratorCommissioning, attribute) }
            }
        }
    }

    /// Opens the window with the printed passcode while the node has no fabric; it has no end.
    ///
    /// A real device stops after 15 minutes to save power and to limit exposure; a virtual one waits.
    mutating func openInitialWindowIfFresh() {
        guard fabricTable.fabrics.isEmpty else { return }
        let window = CommissioningWindow(
            kind: .initial, discriminator: configuration.discriminator, pake: configuration.pake, adminFabric: nil,
            adminVendor: nil)
        perform(self.window.open(window, until: nil))
    }

    /// Undoes what was changed under a fail-safe that ended without completion (Core §11.10.7.2.2).
    mutating func rollBack(_ rollback: FailSafe.Rollback?) {
        guard let rollback else { return }
        closePASESession()
        set(.generalCommissioning, 0x0000, to: .uint(0 as UInt64))
        if let updated = rollback.updatedFabric {
            restore(updated.previous, of: updated.index)
        }
        if let index = rollback.addedFabric { dropFabric(index) }
        guard rollback.holder == .none || rollback.addedFabric != nil else { return }
        let wasInitial = window.window?.kind == .initial
        perform(window.attemptAborted())
        // The administrator who opened the window may be gone meanwhile.
        if fabricTable.fabrics.isEmpty, !wasInitial { resetToFactory() }
    }

    /// Keeps what was changed under the fail-safe: a commissioning, or an update, is complete.
    mutating func commit(for fabric: FabricIndex) {
        closePASESession()
        perform(window.commissioned())
        set(.generalCommissioning, 0x0000, to: .uint(0 as UInt64))
        emit(.persist)
        emit(.commissioningCompleted(fabric))
    }

    /// Removes a fabric for good; without any other fabric the node is factory-fresh again.
    mutating func removeFabric(_ index: FabricIndex) {
        if failSafe.holder == index { rollBack(failSafe.expire()) }
        if fabricTable[index] != nil { dropFabric(index) }
        emit(.persist)
        if fabricTable.fabrics.isEmpty {
            resetToFactory()
        } else {
            perform(window.fabricRemoved(index))
        }
    }

    /// Takes a fabric, its data and its sessions away.
    private mutating func dropFabric(_ index: FabricIndex) {
        fabricTable.remove(index)
        emit(.fabricRemoved(index))
        emit(.closeSessions(of: index))
        fabricsChanged()
    }

    private mutating func restore(_ previous: OperationalCredentials, of index: FabricIndex) {
        do throws(StatusIB) {
            try updateFabric(index) { (fabric) throws(StatusIB) in fabric.credentials = previous }
            emit(.fabricUpdated(index))
            emit(.closeSessions(of: index))
            fabricsChanged()
        } catch {
            // The fabric was removed under the fail-safe; there is nothing to restore.
        }
    }

    private mutating func closePASESession() {
        guard let session = paseSession else { return }
        paseSession = nil
        emit(.closeSession(session))
    }

    /// Ends every commissioning in progress and forgets all settings.
    private mutating func resetToFactory() {
        rollBack(failSafe.expire())
        perform(window.revoke())
        listWrites = [:]
        for composition in [configuration.root] + configuration.endpoints {
            for cluster in composition.clusters {
                for (attribute, value) in cluster.values {
                    let path = ConcreteAttributePath(composition.id, cluster.id, attribute)
                    let isKept = cluster.id == .generalDiagnostics
                    if !isKept { set(path, to: value) }
                }
            }
        }
        countdowns = [:]
        emit(.persist)
        emit(.factoryReset)
        openInitialWindowIfFresh()
    }

    /// Tells of the attributes that show the fabric table.
    mutating func fabricsChanged() {
        for attribute: UInt32 in [0x0000, 0x0001, 0x0003, 0x0004] { changed(.operationalCredentials, attribute) }
        changed(.accessControl, 0x0000)
        changed(.groupKeyManagement, 0x0000)
        changed(.groupKeyManagement, 0x0001)
    }
}
