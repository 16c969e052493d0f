/// A case for hubs.
typealias HubCase = ConformanceCase<HubContext>

extension ConformanceSuite where Context == HubContext {
    /// What Protocols/hub-control.md, commissioning-session.md and dns-sd.md ask of a hub.
    package static let hub = ConformanceSuite(
        name: "hub", behaviours: HubBehaviours.all,
        cases: AdvertisementCases.all + TransportCases.all + FramingCases.all + HelloCases.all + RequestCases.all
            + PermissionCases.all + GrantCases.all + RoomCases.all + SessionCases.all + SessionAppCases.all
            + CommissionCases.all + CommissionRunCases.all + CancelCases.all + FailureCases.all + EventCases.all
            + DeviceCases.all + SubscriptionCases.all + OfflineCases.all
            + SpecialDeviceCases.all + LongCases.all)
}
