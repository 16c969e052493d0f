import MatterProtocol
import MatterWire

/// PASE: who gets in, and what the handshake must look like.
extension DeviceSuite {
    static let paseCases: [DeviceCase] = [
        DeviceCase(
            "pase.right-passcode", "The right passcode gets a session that answers", ["pase.passcode"],
            meaning:
                "The code may be of another device, the window closed, or the verifier not made from this passcode, salt and iterations. Compare the device's stored verifier with one computed from the code."
        ) { bench in
            let session = try await bench.openPASE()
            try expect(try await bench.answers(session), "the new session to answer a read", seen: "no answer")
        },
        DeviceCase(
            "pase.wrong-passcode", "A wrong passcode is refused with INVALID_PARAMETER", ["pase.passcode"],
            meaning:
                "A device that does not check cA lets everybody in; one that says nothing leaves the commissioner waiting for its time-out. Look at how it handles Pake3."
        ) { bench in
            let right = try await bench.passcode()
            let outcome = try await bench.patientAttempt(PASETrial(passcode: try bench.wrongPasscode(insteadOf: right)))
            try expect(
                outcome.deviceProves != true, "the device's proof in Pake2 not to fit a wrong passcode",
                seen: "it fits: the proof does not depend on the passcode")
            guard case .refused(let report) = outcome.end, outcome.lastSent == .pake3,
                report.generalCode == .failure, report.secureChannelCode == .invalidParameter
            else {
                throw ConformanceFailure(
                    expected: "a status report, failure and invalid parameter, as the answer to Pake3",
                    seen: outcome.words)
            }
        },
        DeviceCase(
            "pase.parameters", "Iterations and salt are within the limits", ["pase.parameters"],
            meaning:
                "Fewer iterations make an overheard handshake cheap to try passcodes on; more keep commissioners busy. Commissioners refuse such a device. Look at how its verifier was provisioned."
        ) { bench in
            let outcome = try await bench.finishedAttempt(PASETrial(passcode: try await bench.passcode()))
            guard let parameters = outcome.response?.pbkdfParameters else {
                throw ConformanceFailure(expected: "PBKDF parameters in PBKDFParamResponse", seen: outcome.words)
            }
            try expect(
                PBKDFParameters.iterationRange.contains(parameters.iterations), "1,000 to 100,000 iterations",
                seen: "\(parameters.iterations)")
            try expect(
                PBKDFParameters.saltRange.contains(parameters.salt.count), "a salt of 16 to 32 bytes",
                seen: "\(parameters.salt.count) bytes")
        },
        DeviceCase(
            "pase.wrong-then-right", "After a wrong passcode the right one still works",
            ["window.attempts", "pase.passcode"],
            meaning:
                "The device closes its window too early, or keeps the failed handshake and takes no other. A user who mistypes once must not have to restart the device."
        ) { bench in
            let right = try await bench.passcode()
            _ = try await bench.patientAttempt(PASETrial(passcode: try bench.wrongPasscode(insteadOf: right)))
            let outcome = try await bench.finishedAttempt(PASETrial(passcode: right))
            try expect(outcome.session != nil, "a session with the right passcode", seen: outcome.words)
        },
        DeviceCase(
            "pase.response", "PBKDFParamResponse belongs to the request and is fresh each time", ["pase.response"],
            meaning:
                "Repeated random numbers or session ids let an old handshake be played again. Look at the random source and at how session ids are allotted."
        ) { bench in
            let passcode = try await bench.passcode()
            let first = try await bench.finishedAttempt(PASETrial(passcode: passcode))
            let second = try await bench.finishedAttempt(PASETrial(passcode: passcode))
            for outcome in [first, second] {
                guard let response = outcome.response else {
                    throw ConformanceFailure(expected: "PBKDFParamResponse", seen: outcome.words)
                }
                try expect(
                    response.initiatorRandom == outcome.request.initiatorRandom, "our random number repeated",
                    seen: "another one")
                try expect(response.responderSessionID.rawValue != 0, "a session id other than 0", seen: "0")
            }
            try expect(
                first.response?.responderRandom != second.response?.responderRandom,
                "another random number in each response", seen: "the same 32 bytes twice")
        },
        DeviceCase(
            "pase.known-parameters", "Parameters that the commissioner has are left out", ["pase.response"],
            meaning:
                "The device ignores hasPBKDFParameters, so that both sides hash different responses into the transcript. Look at how it builds PBKDFParamResponse."
        ) { bench in
            let passcode = try await bench.passcode()
            let asked = try await bench.finishedAttempt(PASETrial(passcode: passcode))
            guard let parameters = asked.response?.pbkdfParameters else {
                throw ConformanceFailure(expected: "PBKDF parameters when they were asked for", seen: asked.words)
            }
            let outcome = try await bench.finishedAttempt(
                PASETrial(passcode: passcode, knownParameters: parameters))
            try expect(
                outcome.response.map { $0.pbkdfParameters == nil } ?? false,
                "a response without PBKDF parameters", seen: outcome.response == nil ? outcome.words : "parameters")
            try expect(outcome.session != nil, "a session all the same", seen: outcome.words)
        },
        DeviceCase(
            "pase.unknown-members", "Members of a later version in PBKDFParamRequest are skipped", ["pase.request"],
            meaning:
                "The device takes only the members that it knows, so that commissioners of later versions cannot commission it. Look at its TLV decoder: unknown context tags must be skipped, and still be part of the transcript."
        ) { bench in
            let outcome = try await bench.finishedAttempt(
                PASETrial(passcode: try await bench.passcode(), hasUnknownMembers: true))
            try expect(outcome.session != nil, "a session", seen: outcome.words)
        },
        DeviceCase(
            "pase.passcode-id", "A passcode id other than 0 is refused", ["pase.request"],
            meaning:
                "Passcode id 0 is the onboarding passcode, all others are reserved. The device does not look at the member."
        ) { bench in
            let outcome = try await bench.patientAttempt(PASETrial(passcode: try await bench.passcode(), passcodeID: 7))
            guard case .refused(let report) = outcome.end, outcome.lastSent == .pbkdfParamRequest else {
                throw ConformanceFailure(
                    expected: "PBKDFParamRequest with passcode id 7 to be refused with a status report",
                    seen: outcome.words)
            }
            try expect(
                report.secureChannelCode == .invalidParameter, "invalid parameter in the report", seen: report.words)
        },
        DeviceCase(
            "pase.bad-share", "A Pake1 share that is no point of the curve is refused, and PASE goes on to work",
            ["pase.points"],
            meaning:
                "Arithmetic with a point off the curve leaks the secret or crashes. Look for the point validation before the share is used."
        ) { bench in
            let passcode = try await bench.passcode()
            try bench.spendWrongPasscodes(1)
            let outcome = try await bench.patientAttempt(PASETrial(passcode: passcode, hasBadShare: true))
            let isRefused =
                switch outcome.end {
                case .refused, .silent: outcome.lastSent == .pake1
                case .established, .broken, .givenUp: false
                }
            try expect(isRefused, "Pake1 to be refused with invalid parameter, or not answered", seen: outcome.words)
            let next = try await bench.finishedAttempt(PASETrial(passcode: passcode))
            try expect(next.response != nil, "the device to answer the next PBKDFParamRequest", seen: next.words)
        },
        DeviceCase(
            "pase.abandoned", "A handshake that the commissioner gives up does not keep the next one out",
            ["pase.passcode", "pase.one"],
            meaning:
                "The device keeps the state of a handshake whose end it was told of, until its own time-out of 60 s. Look at how it handles a status report where Pake1 is due."
        ) { bench in
            let passcode = try await bench.passcode()
            _ = try await bench.patientAttempt(PASETrial(passcode: passcode, givesUp: true))
            let outcome = try await bench.attempt(PASETrial(passcode: passcode))
            try expect(outcome.session != nil, "a session at once", seen: outcome.words)
        },
        DeviceCase(
            "pase.one-commissioner", "While a commissioner is in, a second one gets no session", ["pase.one"],
            meaning:
                "Two commissioners at a time undo each other's work. The device must refuse PBKDFParamRequest, best with Busy, as long as a PASE session is open."
        ) { bench in
            let first = try await bench.openPASE()
            let outcome = try await bench.attempt(PASETrial(passcode: try await bench.passcode()))
            try expect(
                outcome.session == nil, "the second handshake to be refused, best with busy, or not to be answered",
                seen: outcome.words)
            try expect(try await bench.answers(first), "the first session to go on", seen: "it no longer answers")
        },
    ]
}
