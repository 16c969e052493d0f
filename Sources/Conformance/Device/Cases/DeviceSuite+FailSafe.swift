import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

/// The fail-safe: arming, ending, and what is undone.
extension DeviceSuite {
    static let failSafeCases: [DeviceCase] = [
        DeviceCase(
            "failsafe.armed-by-pase", "The fail-safe is armed as soon as PASE is complete", ["failsafe.pase"],
            meaning:
                "Without it, a commissioner that vanishes right after PASE keeps all others out until its session times out. Look at what happens when the handshake succeeds."
        ) { bench in
            let session = try await bench.openPASE()
            let nonce = try bench.environment.secrets.bytes(32)
            let answer = try await bench.invoke(.csrRequest(nonce: nonce), on: session)
            try expect(
                answer.fields != nil, "CSRRequest to be answered without an ArmFailSafe before it", seen: answer.words()
            )
        },
        DeviceCase(
            "failsafe.arm-again", "ArmFailSafe sets the breadcrumb, and again when it is armed again", ["failsafe.arm"],
            meaning:
                "A commissioner extends the fail-safe before slow steps, and finds its place again by the breadcrumb."
        ) { bench in
            let session = try await bench.openPASE()
            for (seconds, breadcrumb) in [(60, 7), (90, 9)] as [(UInt16, UInt64)] {
                try await bench.arm(seconds, breadcrumb: breadcrumb, on: session)
                let seen = try await bench.breadcrumb(on: session)
                try expect(seen == breadcrumb, "Breadcrumb \(breadcrumb)", seen: seen.map { String($0) } ?? "nothing")
            }
        },
        DeviceCase(
            "failsafe.disarm", "ArmFailSafe with 0 s ends the fail-safe at once", ["failsafe.arm"],
            meaning:
                "Commissioners clean up with it after a failure. When it does nothing, the device is not to be had until its timer runs out."
        ) { bench in
            let session = try await bench.openPASE()
            try await bench.arm(60, breadcrumb: 5, on: session)
            try await bench.arm(0, on: session)
            if try await bench.answers(session) {
                let nonce = try bench.environment.secrets.bytes(32)
                let answer = try await bench.invoke(.csrRequest(nonce: nonce), on: session)
                // The session may have ended with the answer.
                if case .failed(let failure) = answer, failure.peerStatus == nil { return }
                try answer.expect("CSRRequest after the fail-safe was ended", refusedWith: .failsafeRequired)
            }
        },
        DeviceCase(
            "failsafe.busy", "While a commissioner holds the fail-safe, an administrator is told BusyWithOtherAdmin",
            ["failsafe.busy"],
            meaning: "Two holders would undo each other's work. Look at whether the fail-safe remembers whose it is."
        ) { bench in
            let admin = try await bench.commissioned()
            let pase = try await bench.openPASE()
            try await bench.arm(60, on: pase)
            let answer = try await bench.invoke(
                .armFailSafe(seconds: 60, breadcrumb: 0), on: try await bench.session(of: admin))
            try answer.expect(
                "ArmFailSafe of an administrator while a commissioner holds the fail-safe", answeredWith: 4,
                naming: .generalCommissioning)
        },
        DeviceCase(
            "failsafe.open-window", "While a window is open, an administrator cannot arm the fail-safe",
            ["failsafe.busy"],
            meaning:
                "The window is for a newcomer, who would find the fail-safe taken. Look at ArmFailSafe over CASE while the window is open."
        ) { bench in
            _ = try await bench.openWindow()
            let session = try await bench.session(of: try await bench.commissioned())
            let answer = try await bench.invoke(.armFailSafe(seconds: 5, breadcrumb: 0), on: session)
            if answer.code == 0 { _ = try await bench.invoke(.armFailSafe(seconds: 0, breadcrumb: 0), on: session) }
            try answer.expect(
                "ArmFailSafe of an administrator while a window is open", answeredWith: 4, naming: .generalCommissioning
            )
        },
        DeviceCase(
            "failsafe.expiry-removes-fabric", "A fabric that was not completed is gone when the fail-safe expires",
            ["failsafe.rollback"],
            meaning:
                "The device is on a fabric that nobody knows of; after some of them its table is full. Look at what the fail-safe's timer undoes."
        ) { bench in
            let seen = try await bench.expired()
            try expect(!seen.hasFabric, "the fabric to be gone from Fabrics", seen: "it is still there")
            try expect(!seen.answersFabric, "CASE on that fabric to be refused", seen: "a session was established")
        },
        DeviceCase(
            "failsafe.expiry-removes-root", "The root that was added is gone when the fail-safe expires",
            ["failsafe.rollback"],
            meaning:
                "The device goes on to trust the root of a commissioner that failed. Look at what the fail-safe's timer undoes besides the fabric."
        ) { bench in
            let hasRoot = try await bench.expired().hasRoot
            try expect(!hasRoot, "the root to be gone from TrustedRootCertificates", seen: "it is still there")
        },
        DeviceCase(
            "failsafe.expiry-clears-breadcrumb", "The breadcrumb is 0 when the fail-safe has expired",
            ["failsafe.rollback"],
            meaning:
                "The next commissioner takes the breadcrumb for a sign that an attempt got that far, and may skip steps."
        ) { bench in
            let breadcrumb = try await bench.expired().breadcrumb
            try expect(breadcrumb == 0, "Breadcrumb 0", seen: breadcrumb.map { String($0) } ?? "nothing")
        },
        DeviceCase(
            "failsafe.expiry-reopens", "When the fail-safe has expired, the same passcode works again",
            ["failsafe.rollback", "window.attempts"],
            meaning:
                "A failed attempt costs the user the whole window. The window goes on to listen after a fail-safe expired, as long as its own time and its attempts are not used up."
        ) { bench in
            let outcome = try await bench.expired().pase
            try expect(outcome.session != nil, "PASE in the same window", seen: outcome.words)
        },
        DeviceCase(
            "failsafe.disarm-rolls-back", "ArmFailSafe with 0 s after AddNOC removes the new fabric",
            ["failsafe.rollback", "failsafe.arm"],
            meaning:
                "A commissioner that gives up in order leaves its fabric behind all the same. Ending the fail-safe and its expiry must undo the same things."
        ) { bench in
            let main = try await bench.commissioned()
            let pase = try await bench.openPASE()
            let admin = try DeviceAdministrator("X", bench.environment)
            _ = try await bench.addFabric(admin, over: pase)
            try await bench.arm(0, on: pase)
            let isThere = try await bench.has(admin, on: try await bench.session(of: main))
            try expect(!isThere, "the fabric to be gone from Fabrics", seen: "it is still there")
            let outcome = try await bench.soonAttempt(try await bench.openWindow().passcode)
            try expect(outcome.session != nil, "PASE in the same window", seen: outcome.words)
        },
        DeviceCase(
            "failsafe.disconnect", "A commissioner that ends its session before AddNOC leaves the way free",
            ["failsafe.rollback", "pase.one"],
            meaning:
                "The device waits for the fail-safe's end although its holder said goodbye: users see “busy” for a minute after each failed attempt."
        ) { bench in
            let pase = try await bench.openPASE()
            try await bench.arm(60, on: pase)
            _ = try await bench.csr(on: pase)
            let passcode = try await bench.passcode()
            await bench.probe.close(pase)
            let outcome = try await bench.soonAttempt(passcode)
            try expect(outcome.session != nil, "PASE within a few seconds", seen: outcome.words)
        },
    ]
}
