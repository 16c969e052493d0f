import MatterNode
import MatterProtocol
import MatterWire
import NetIO

/// Windows that an administrator opens for another.
extension DeviceSuite {
    static let windowCases: [DeviceCase] = [
        DeviceCase(
            "window.status", "An open window shows in the attributes, with the fabric and vendor that opened it",
            ["window.open"],
            meaning:
                "Administrators look here before they open a window, and users are told who did. Look at the three attributes of Administrator Commissioning."
        ) { bench in
            let admin = try await bench.commissioned()
            let session = try await bench.session(of: admin)
            let before = try await bench.read(.administratorCommissioning, [0, 1, 2], on: session)
            func value(_ result: ReadResult, _ attribute: UInt32) -> TLVValue? {
                result[root: .administratorCommissioning, AttributeID(rawValue: attribute)]
            }
            try expect(
                value(before, 0)?.unsigned == 0, "WindowStatus 0 without a window", seen: value(before, 0).described)
            try expect(
                value(before, 1) == .null, "AdminFabricIndex null without a window", seen: value(before, 1).described)
            try expect(
                value(before, 2) == .null, "AdminVendorId null without a window", seen: value(before, 2).described)
            _ = try await bench.openWindow()
            let after = try await bench.read(.administratorCommissioning, [0, 1, 2], on: session)
            let index = admin.index.map { UInt64($0.rawValue) }
            try expect(value(after, 0)?.unsigned == 1, "WindowStatus 1 with a window", seen: value(after, 0).described)
            try expect(
                value(after, 1)?.unsigned == index, "AdminFabricIndex \(index ?? 0)", seen: value(after, 1).described)
            try expect(
                value(after, 2)?.unsigned == UInt64(DeviceAdministrator.vendor.rawValue),
                "AdminVendorId \(DeviceAdministrator.vendor.rawValue), as AddNOC told", seen: value(after, 2).described)
        },
        DeviceCase(
            "window.own-passcode", "The window takes the administrator's passcode and not the printed one",
            ["window.open", "pase.passcode"],
            meaning:
                "The printed code must not open a device that is in use: its owner shares a passcode that is good for one window."
        ) { bench in
            let window = try await bench.openWindow()
            try bench.spendWrongPasscodes(1)
            let printed = try await bench.patientAttempt(PASETrial(passcode: bench.order.payload.passcode.rawValue))
            try expect(printed.session == nil, "the printed passcode to be refused", seen: printed.words)
            let own = try await bench.finishedAttempt(PASETrial(passcode: window.passcode))
            try expect(own.session != nil, "the window's passcode to get a session", seen: own.words)
        },
        DeviceCase(
            "window.duplicate", "While a window is open another one is refused with Busy", ["window.refusals"],
            meaning:
                "A second window would cut off whoever uses the first. Look at OpenCommissioningWindow while a window is open."
        ) { bench in
            _ = try await bench.openWindow()
            let session = try await bench.session(of: try await bench.commissioned())
            try await bench.invoke(try bench.openCommand(bench.newWindow()), on: session)
                .expect("a second OpenCommissioningWindow", refusedWithClusterStatus: 2, "Busy")
        },
        DeviceCase(
            "window.parameters", "A window with PAKE parameters out of range is refused", ["window.refusals"],
            meaning:
                "Weak stretching makes the passcode cheap to find. Look at the checks of iterations (1,000 to 100,000) and salt (16 to 32 bytes)."
        ) { bench in
            let session = try await bench.session(of: try await bench.commissioned())
            for (iterations, salt) in [(999, 32), (100_001, 32), (1_000, 15), (1_000, 33)] as [(UInt32, Int)] {
                let command = try bench.openCommand(bench.newWindow(), iterations: iterations, saltCount: salt)
                let answer = try await bench.invoke(command, on: session)
                if answer.status?.isSuccess == true { _ = try await bench.invoke(.revokeCommissioning, on: session) }
                let what = "a window with \(iterations) iterations and a salt of \(salt) bytes"
                if answer.status?.status == .constraintError { continue }
                try answer.expect(what, refusedWithClusterStatus: 3, "PAKEParameterError")
            }
        },
        DeviceCase(
            "window.time", "A window of less than 3 minutes or more than 15 is refused", ["window.refusals"],
            meaning:
                "A window that is too long leaves the device open; one that is too short is closed before the user has typed the code."
        ) { bench in
            let session = try await bench.session(of: try await bench.commissioned())
            for seconds in [179, 901] as [UInt16] {
                let answer = try await bench.invoke(
                    try bench.openCommand(bench.newWindow(), seconds: seconds), on: session)
                if answer.status?.isSuccess == true { _ = try await bench.invoke(.revokeCommissioning, on: session) }
                try answer.expect(
                    "a window of \(seconds) s", refusedWith: .invalidCommand, .constraintError, .failure)
            }
        },
        DeviceCase(
            "window.untimed", "Windows are opened and revoked in timed interactions only", ["window.refusals"],
            meaning:
                "Without the timed interaction a command that was held back by an attacker works at any later time."
        ) { bench in
            let session = try await bench.session(of: try await bench.commissioned())
            let answer = try await bench.invoke(
                try bench.openCommand(bench.newWindow()), on: session, isTimed: false)
            if answer.status?.isSuccess == true { _ = try await bench.invoke(.revokeCommissioning, on: session) }
            try answer.expect("an untimed OpenCommissioningWindow", refusedWith: .needsTimedInteraction)
            try await bench.invoke(.revokeCommissioning, on: session, isTimed: false)
                .expect("an untimed RevokeCommissioning", refusedWith: .needsTimedInteraction)
        },
        DeviceCase(
            "window.revoke", "RevokeCommissioning closes the window", ["window.revoke"],
            meaning:
                "A window that was opened by mistake stays open. Look at what RevokeCommissioning does to the state that answers PASE."
        ) { bench in
            let window = try await bench.openWindow()
            let session = try await bench.session(of: try await bench.commissioned())
            try await bench.invoke(.revokeCommissioning, on: session).expectSuccess("RevokeCommissioning")
            bench.window = nil
            let status = try await bench.windowStatus(on: session)
            try expect(status == 0, "WindowStatus 0", seen: status.map { String($0) } ?? "nothing")
            let outcome = try await bench.attempt(PASETrial(passcode: window.passcode))
            try expect(outcome.session == nil, "PASE to be refused or not answered", seen: outcome.words)
        },
        DeviceCase(
            "window.revoke-closed", "RevokeCommissioning without a window says WindowNotOpen", ["window.revoke"],
            meaning: "Administrators tell by it that the window ended on its own."
        ) { bench in
            let session = try await bench.session(of: try await bench.commissioned())
            try await bench.invoke(.revokeCommissioning, on: session)
                .expect("RevokeCommissioning without a window", refusedWithClusterStatus: 4, "WindowNotOpen")
        },
        DeviceCase(
            "window.attempt-limit", "Twenty wrong passcodes close the window", ["window.attempts"],
            meaning:
                "Without the limit a passcode of 8 digits can be found by trying. Count every failed handshake of a window, and close it at the 20th."
        ) { bench in
            try bench.spendWrongPasscodes(attemptLimit)
            let window = try await bench.openWindow()
            let wrong: UInt32 = window.passcode == 11_223_344 ? 55_667_788 : 11_223_344
            for _ in 1...attemptLimit {
                let outcome = try await bench.patientAttempt(PASETrial(passcode: wrong))
                // Closed earlier is no less safe.
                if outcome.lastSent == .pbkdfParamRequest { break }
            }
            let outcome = try await bench.attempt(PASETrial(passcode: window.passcode))
            try expect(
                outcome.session == nil, "PASE to be refused even with the right passcode after 20 wrong ones",
                seen: outcome.words)
            let status = try await bench.windowStatus(
                on: try await bench.session(of: try await bench.commissioned()))
            try expect(
                status == 0, "WindowStatus 0 after 20 wrong passcodes", seen: status.map { String($0) } ?? "nothing")
        },
        DeviceCase(
            "window.second-administrator", "A second administrator commissions the device through the window",
            ["window.open", "complete.session"],
            meaning: "The device cannot be shared. See what it logs at the step that is named."
        ) { bench in
            _ = try await bench.secondAdministrator()
        },
        DeviceCase(
            "advertisement.window", "An administrator's window is announced with its own discriminator and CM=2",
            ["advertise.txt", "window.open"], needs: [.multicast],
            meaning:
                "The second administrator looks for the window's discriminator, and tells by CM=2 that the printed code is of no use."
        ) { bench in
            let window = try await bench.openWindow()
            let filter = CommissionableFilter(discriminator: .long(window.discriminator))
            guard let record = try await bench.record(filter, within: .seconds(10)) else {
                throw ConformanceFailure(
                    expected: "a record with D=\(window.discriminator) and CM other than 0", seen: "none within 10 s")
            }
            try expect(record.mode == .enhanced, "CM=2", seen: "CM=\(record.mode.rawValue)")
        },
        DeviceCase(
            "advertisement.withdrawn", "A window that was revoked is no longer announced", ["advertise.closed"],
            needs: [.multicast],
            meaning:
                "Commissioners go on to offer a device that takes nobody. The record must be withdrawn with a goodbye when the window closes."
        ) { bench in
            let window = try await bench.openWindow()
            let session = try await bench.session(of: try await bench.commissioned())
            try await bench.invoke(.revokeCommissioning, on: session).expectSuccess("RevokeCommissioning")
            bench.window = nil
            try await bench.sleep(.seconds(2))
            let filter = CommissionableFilter(discriminator: .long(window.discriminator))
            let found = try await bench.records(within: .seconds(3)).contains(where: filter.matches)
            try expect(!found, "no record of the window 2 s after its end", seen: "it is still announced")
        },
        DeviceCase(
            "advertisement.operational", "The device announces its node on our fabric", ["advertise.operational"],
            needs: [.multicast],
            meaning:
                "Without this record no controller finds the device again after its address changed. It belongs there right after AddNOC."
        ) { bench in
            let admin = try await bench.commissioned()
            let name = operationalInstanceName(
                fabric: admin.credentials.compressedFabricID, node: admin.deviceNode)
            let found = try await bench.finds(operational: name)
            try expect(found, "a record \(name)._matter._tcp", seen: "none within 10 s")
        },
    ]

    /// Failed attempts that close a window.
    private static let attemptLimit = 20
}

extension DeviceBench {
    /// Whether an operational instance is announced.
    fileprivate func finds(operational name: String) async throws -> Bool {
        guard let discovery = environment.discovery else { throw ConformanceSkip("there is no multicast DNS") }
        let isFound = Locked(false)
        try await within(.seconds(10)) {
            do {
                for try await _ in discovery.operationalNode(instance: name) {
                    isFound.withLock { $0 = true }
                    return
                }
            } catch let error where !(error is CancellationError) {
                throw ConformanceSkip("multicast DNS cannot be searched: \(error)")
            }
        }
        return isFound.withLock { $0 }
    }
}
