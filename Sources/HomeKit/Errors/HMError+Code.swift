extension HMError {
    /// What went wrong; the header's numbers. 94 is not used.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        /// Unexpected error.
        case unexpectedError = -1
        /// Already exists.
        case alreadyExists = 1
        /// Not found.
        case notFound = 2
        /// Invalid parameter.
        case invalidParameter = 3
        /// Accessory not reachable.
        case accessoryNotReachable = 4
        /// Read only characteristic.
        case readOnlyCharacteristic = 5
        /// Write only characteristic.
        case writeOnlyCharacteristic = 6
        /// Notification not supported.
        case notificationNotSupported = 7
        /// Operation timed out.
        case operationTimedOut = 8
        /// Accessory powered off.
        case accessoryPoweredOff = 9
        /// Access denied.
        case accessDenied = 10
        /// Object associated to another home.
        case objectAssociatedToAnotherHome = 11
        /// Object not associated to any home.
        case objectNotAssociatedToAnyHome = 12
        /// Object already associated to home.
        case objectAlreadyAssociatedToHome = 13
        /// Accessory is busy.
        case accessoryIsBusy = 14
        /// Operation in progress.
        case operationInProgress = 15
        /// Accessory out of resources.
        case accessoryOutOfResources = 16
        /// Insufficient privileges.
        case insufficientPrivileges = 17
        /// Accessory pairing failed.
        case accessoryPairingFailed = 18
        /// Invalid data format specified.
        case invalidDataFormatSpecified = 19
        /// Nil parameter.
        case nilParameter = 20
        /// Unconfigured parameter.
        case unconfiguredParameter = 21
        /// Invalid class.
        case invalidClass = 22
        /// Operation cancelled.
        case operationCancelled = 23
        /// Room for home cannot be in zone.
        case roomForHomeCannotBeInZone = 24
        /// No actions in action set.
        case noActionsInActionSet = 25
        /// No registered action sets.
        case noRegisteredActionSets = 26
        /// Missing parameter.
        case missingParameter = 27
        /// Fire date in past.
        case fireDateInPast = 28
        /// Room for home cannot be updated.
        case roomForHomeCannotBeUpdated = 29
        /// Action in another action set.
        case actionInAnotherActionSet = 30
        /// Object with similar name exists in home.
        case objectWithSimilarNameExistsInHome = 31
        /// Home with similar name exists.
        case homeWithSimilarNameExists = 32
        /// Rename with similar name.
        case renameWithSimilarName = 33
        /// Cannot remove non bridge accessory.
        case cannotRemoveNonBridgeAccessory = 34
        /// Name contains prohibited characters.
        case nameContainsProhibitedCharacters = 35
        /// Name does not start with valid characters.
        case nameDoesNotStartWithValidCharacters = 36
        /// User id not email address.
        case userIDNotEmailAddress = 37
        /// User declined adding user.
        case userDeclinedAddingUser = 38
        /// User declined removing user.
        case userDeclinedRemovingUser = 39
        /// User declined invite.
        case userDeclinedInvite = 40
        /// User management failed.
        case userManagementFailed = 41
        /// Recurrence too small.
        case recurrenceTooSmall = 42
        /// Invalid value type.
        case invalidValueType = 43
        /// Value lower than minimum.
        case valueLowerThanMinimum = 44
        /// Value higher than maximum.
        case valueHigherThanMaximum = 45
        /// String longer than maximum.
        case stringLongerThanMaximum = 46
        /// Home access not authorized.
        case homeAccessNotAuthorized = 47
        /// Operation not supported.
        case operationNotSupported = 48
        /// Maximum object limit reached.
        case maximumObjectLimitReached = 49
        /// Accessory sent invalid response.
        case accessorySentInvalidResponse = 50
        /// String shorter than minimum.
        case stringShorterThanMinimum = 51
        /// Generic error.
        case genericError = 52
        /// Security failure.
        case securityFailure = 53
        /// Communication failure.
        case communicationFailure = 54
        /// Message authentication failed.
        case messageAuthenticationFailed = 55
        /// Invalid message size.
        case invalidMessageSize = 56
        /// Accessory discovery failed.
        case accessoryDiscoveryFailed = 57
        /// Client request error.
        case clientRequestError = 58
        /// Accessory response error.
        case accessoryResponseError = 59
        /// Name does not end with valid characters.
        case nameDoesNotEndWithValidCharacters = 60
        /// Accessory is blocked.
        case accessoryIsBlocked = 61
        /// Invalid associated service type.
        case invalidAssociatedServiceType = 62
        /// Action set execution failed.
        case actionSetExecutionFailed = 63
        /// Action set execution partial success.
        case actionSetExecutionPartialSuccess = 64
        /// Action set execution in progress.
        case actionSetExecutionInProgress = 65
        /// Accessory out of compliance.
        case accessoryOutOfCompliance = 66
        /// Data reset failure.
        case dataResetFailure = 67
        /// Notification already enabled.
        case notificationAlreadyEnabled = 68
        /// Recurrence must be on specified boundaries.
        case recurrenceMustBeOnSpecifiedBoundaries = 69
        /// Date must be on specified boundaries.
        case dateMustBeOnSpecifiedBoundaries = 70
        /// Cannot activate trigger too far in future.
        case cannotActivateTriggerTooFarInFuture = 71
        /// Recurrence too large.
        case recurrenceTooLarge = 72
        /// Read write partial success.
        case readWritePartialSuccess = 73
        /// Read write failure.
        case readWriteFailure = 74
        /// Not signed intoiCloud.
        case notSignedIntoiCloud = 75
        /// Keychain sync not enabled.
        case keychainSyncNotEnabled = 76
        /// Cloud data sync in progress.
        case cloudDataSyncInProgress = 77
        /// Network unavailable.
        case networkUnavailable = 78
        /// Add accessory failed.
        case addAccessoryFailed = 79
        /// Missing entitlement.
        case missingEntitlement = 80
        /// Cannot unblock non bridge accessory.
        case cannotUnblockNonBridgeAccessory = 81
        /// Device locked.
        case deviceLocked = 82
        /// Cannot remove builtin action set.
        case cannotRemoveBuiltinActionSet = 83
        /// Location for home disabled.
        case locationForHomeDisabled = 84
        /// Not authorized for location services.
        case notAuthorizedForLocationServices = 85
        /// Refer to user manual.
        case referToUserManual = 86
        /// Invalid or missing authorization data.
        case invalidOrMissingAuthorizationData = 87
        /// Bridged accessory not reachable.
        case bridgedAccessoryNotReachable = 88
        /// Not authorized for microphone access.
        case notAuthorizedForMicrophoneAccess = 89
        /// Incompatible network.
        case incompatibleNetwork = 90
        /// No home hub.
        case noHomeHub = 91
        /// No compatible home hub.
        case noCompatibleHomeHub = 92
        /// Incompatible accessory.
        case incompatibleAccessory = 93
        /// Object with similar name exists.
        case objectWithSimilarNameExists = 95
        /// Ownership failure.
        case ownershipFailure = 96
        /// Maximum accessories of type in home.
        case maximumAccessoriesOfTypeInHome = 97
        /// Wi-Fi credential generation failed.
        case wiFiCredentialGenerationFailed = 98
        /// Enterprise network not supported.
        case enterpriseNetworkNotSupported = 99
        /// Timed out waiting for accessory.
        case timedOutWaitingForAccessory = 100
        /// Accessory communication failure.
        case accessoryCommunicationFailure = 101
        /// Failed to join network.
        case failedToJoinNetwork = 102
        /// Accessory is suspended.
        case accessoryIsSuspended = 103
        /// Partial communication failure.
        case partialCommunicationFailure = 104
        /// Home upgrade required.
        case homeUpgradeRequired = 105

        /// The older name of ``noCompatibleHomeHub``.
        public static var incompatibleHomeHub: Self { .noCompatibleHomeHub }
    }
}
