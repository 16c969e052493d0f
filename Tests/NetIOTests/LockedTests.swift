import NetIO
import Testing

@Suite("Locked") struct LockedTests {
    @Test func `changes of many tasks all count`() async {
        let counter = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1000 { counter.withLock { $0 += 1 } } }
            }
        }
        #expect(counter.withLock { $0 } == 8000)
    }

    @Test func `a body that throws releases the lock and keeps its error's type`() {
        let value = Locked([1])
        do throws(NetError) {
            try value.withLock { value throws(NetError) in
                value.append(2)
                throw NetError(.refused, "test")
            }
        } catch {
            #expect(error.code == .refused)
        }
        #expect(value.withLock { $0 } == [1, 2])
    }
}
