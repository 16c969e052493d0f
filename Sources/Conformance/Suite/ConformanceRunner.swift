package import NetIO

/// Runs cases one after the other, each with a context of its own and a time limit, and reports as it goes.
///
/// A case that fails, hangs (it is cancelled at its limit) or leaves something behind does not spoil the next one. When
/// the task of a run is cancelled, the case that runs and those that follow are reported as interrupted.
package struct ConformanceRunner: Sendable {
    /// What happens during a run.
    package enum Event: Sendable {
        /// `index` counts from 1.
        case began(name: String, index: Int, total: Int)
        case ended(ConformanceRecord, index: Int, total: Int)
    }

    /// How long a case may take that does not say so itself.
    package var timeLimit: Duration
    package var clock: DriverClock

    /// - Parameter timeLimit: how long a case may take that does not say so itself.
    package init(timeLimit: Duration = .seconds(30), clock: DriverClock = DriverClock()) {
        self.timeLimit = timeLimit
        self.clock = clock
    }

    /// Runs the cases in their order.
    ///
    /// - Parameters:
    ///   - startedAt: seconds since 1970, for the report.
    ///   - observe: told of each case as it begins and ends.
    package func run<Context, Subject: ConformanceSubject<Context>>(
        _ suite: ConformanceSuite<Context>, _ cases: [ConformanceCase<Context>], of subject: Subject,
        startedAt: Int64 = 0, observe: @Sendable (Event) async -> Void = { _ in }
    ) async -> ConformanceReport {
        let start = clock.now
        let rules = Dictionary(uniqueKeysWithValues: suite.behaviours.map { ($0.id, $0.reference) })
        var records: [ConformanceRecord] = []
        for (index, each) in cases.enumerated() {
            var record = ConformanceRecord(
                name: each.name, title: each.title, behaviours: each.behaviours, outcome: .interrupted, elapsed: .zero)
            if !Task.isCancelled {
                await observe(.began(name: each.name, index: index + 1, total: cases.count))
                let began = clock.now
                let (outcome, remarks) = await outcome(of: each, subject)
                let redaction = Redaction(subject.secrets)
                record.outcome = redaction.redacted(outcome.citing(each.behaviours.first.flatMap { rules[$0] }))
                record.remarks = remarks.map(redaction.redacted)
                record.elapsed = clock.now - began
            }
            records.append(record)
            await observe(.ended(record, index: index + 1, total: cases.count))
        }
        let remarks = await Task { await subject.finish() }.value
        return ConformanceReport(
            suite: suite.name, subject: Redaction(subject.secrets).redacted(subject.description), startedAt: startedAt,
            behaviours: suite.behaviours, records: records, elapsed: clock.now - start,
            remarks: remarks.map(Redaction(subject.secrets).redacted))
    }

    private func outcome<Context, Subject: ConformanceSubject<Context>>(
        of each: ConformanceCase<Context>, _ subject: Subject
    ) async -> (ConformanceOutcome, [String]) {
        for need in each.needs {
            if let reason = subject.absence(of: need) { return (.skipped(reason), []) }
        }
        let context: Context
        do {
            context = try await subject.begin()
        } catch let skip as ConformanceSkip {
            return (.skipped(skip.reason), [])
        } catch {
            if Task.isCancelled { return (.interrupted, []) }
            return (.failed(Self.failure(error, expected: "the subject to be ready for the case")), [])
        }
        let outcome = await limited(each.timeLimit ?? timeLimit) { try await each.body(context) }
        // Tidying up goes on when the run was interrupted: what a case made must not stay in somebody's hub.
        let remarks = await Task { await subject.end(context) }.value
        return (outcome, remarks)
    }

    private func limited(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> Void
    ) async -> ConformanceOutcome {
        let deadline = clock.now + limit
        return await withTaskGroup(of: ConformanceOutcome?.self) { group in
            group.addTask {
                do {
                    try await body()
                    return .passed
                } catch let failure as ConformanceFailure {
                    return .failed(failure)
                } catch let skip as ConformanceSkip {
                    return .skipped(skip.reason)
                } catch {
                    return .failed(Self.failure(error, expected: "the case to go on"))
                }
            }
            group.addTask {
                do { try await clock.sleep(until: deadline) } catch {
                    return nil  // the case ended first, or the run was interrupted
                }
                return .failed(
                    ConformanceFailure(
                        expected: "the case to end within \(limit.secondsText) s", seen: "it did not end",
                        meaning: "Something that was waited for never came; --time-limit gives slow subjects more."))
            }
            var first: ConformanceOutcome?
            while first == nil, let next = await group.next() { first = next }
            group.cancelAll()
            // What a cancelled case says of itself is not to be believed.
            return Task.isCancelled ? .interrupted : first ?? .interrupted
        }
    }

    private static func failure(_ error: any Error, expected: String) -> ConformanceFailure {
        ConformanceFailure(expected: expected, seen: "\(error)")
    }
}

extension ConformanceOutcome {
    /// A failure that names no rule gets this one.
    fileprivate func citing(_ rule: String?) -> Self {
        guard case .failed(var failure) = self, failure.rule == nil else { return self }
        failure.rule = rule
        return .failed(failure)
    }
}
