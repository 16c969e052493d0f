// The codes without their type, as `HMError.notFound`: the form that `catch` and comparisons in app code use.
extension HMError {
    /// See ``Code/unexpectedError``.
    public static var unexpectedError: Code { .unexpectedError }
    /// See ``Code/alreadyExists``.
    public static var alreadyExists: Code { .alreadyExists }
    /// See ``Code/notFound``.
    public static var notFound: Code { .notFound }
    /// See ``Code/invalidParameter``.
    public static var invalidParameter: Code { .invalidParameter }
    /// See ``Code/accessoryNotReachable``.
    public static var accessoryNotReachable: Code { .accessoryNotReachable }
    /// See ``Code/readOnlyCharacteristic``.
    public static var readOnlyCharacteristic: Code { .readOnlyCharacteristic }
    /// See ``Code/writeOnlyCharacteristic``.
    public static var writeOnlyCharacteristic: Code { .writeOnlyCharacteristic }
    /// See ``Code/notificationNotSupported``.
    public static var notificationNotSupported: Code { .notificationNotSupported }
    /// See ``Code/operationTimedOut``.
    public static var operationTimedOut: Code { .operationTimedOut }
    /// See ``Code/accessoryPoweredOff``.
    public static var accessoryPoweredOff: Code { .accessoryPoweredOff }
    /// See ``Code/accessDenied``.
    public static var accessDenied: Code { .accessDenied }
    /// See ``Code/objectAssociatedToAnotherHome``.
    public static var objectAssociatedToAnotherHome: Code { .objectAssociatedToAnotherHome }
    /// See ``Code/objectNotAssociatedToAnyHome``.
    public static var objectNotAssociatedToAnyHome: Code { .objectNotAssociatedToAnyHome }
    /// See ``Code/objectAlreadyAssociatedToHome``.
    public static var objectAlreadyAssociatedToHome: Code { .objectAlreadyAssociatedToHome }
    /// See ``Code/accessoryIsBusy``.
    public static var accessoryIsBusy: Code { .accessoryIsBusy }
    /// See ``Code/operationInProgress``.
    public static var operationInProgress: Code { .operationInProgress }
    /// See ``Code/accessoryOutOfResources``.
    public static var accessoryOutOfResources: Code { .accessoryOutOfResources }
    /// See ``Code/insufficientPrivileges``.
    public static var insufficientPrivileges: Code { .insufficientPrivileges }
    /// See ``Code/accessoryPairingFailed``.
    public static var accessoryPairingFailed: Code { .accessoryPairingFailed }
    /// See ``Code/invalidDataFormatSpecified``.
    public static var invalidDataFormatSpecified: Code { .invalidDataFormatSpecified }
    /// See ``Code/nilParameter``.
    public static var nilParameter: Code { .nilParameter }
    /// See ``Code/unconfiguredParameter``.
    public static var unconfiguredParameter: Code { .unconfiguredParameter }
    /// See ``Code/invalidClass``.
    public static var invalidClass: Code { .invalidClass }
    /// See ``Code/operationCancelled``.
    public static var operationCancelled: Code { .operationCancelled }
    /// See ``Code/roomForHomeCannotBeInZone``.
    public static var roomForHomeCannotBeInZone: Code { .roomForHomeCannotBeInZone }
    /// See ``Code/noActionsInActionSet``.
    public static var noActionsInActionSet: Code { .noActionsInActionSet }
    /// See ``Code/noRegisteredActionSets``.
    public static var noRegisteredActionSets: Code { .noRegisteredActionSets }
    /// See ``Code/missingParameter``.
    public static var missingParameter: Code { .missingParameter }
    /// See ``Code/fireDateInPast``.
    public static var fireDateInPast: Code { .fireDateInPast }
    /// See ``Code/roomForHomeCannotBeUpdated``.
    public static var roomForHomeCannotBeUpdated: Code { .roomForHomeCannotBeUpdated }
    /// See ``Code/actionInAnotherActionSet``.
    public static var actionInAnotherActionSet: Code { .actionInAnotherActionSet }
    /// See ``Code/objectWithSimilarNameExistsInHome``.
    public static var objectWithSimilarNameExistsInHome: Code { .objectWithSimilarNameExistsInHome }
    /// See ``Code/homeWithSimilarNameExists``.
    public static var homeWithSimilarNameExists: Code { .homeWithSimilarNameExists }
    /// See ``Code/renameWithSimilarName``.
    public static var renameWithSimilarName: Code { .renameWithSimilarName }
    /// See ``Code/cannotRemoveNonBridgeAccessory``.
    public static var cannotRemoveNonBridgeAccessory: Code { .cannotRemoveNonBridgeAccessory }
    /// See ``Code/nameContainsProhibitedCharacters``.
    public static var nameContainsProhibitedCharacters: Code { .nameContainsProhibitedCharacters }
    /// See ``Code/nameDoesNotStartWithValidCharacters``.
    public static var nameDoesNotStartWithValidCharacters: Code { .nameDoesNotStartWithValidCharacters }
    /// See ``Code/userIDNotEmailAddress``.
    public static var userIDNotEmailAddress: Code { .userIDNotEmailAddress }
    /// See ``Code/userDeclinedAddingUser``.
    public static var userDeclinedAddingUser: Code { .userDeclinedAddingUser }
    /// See ``Code/userDeclinedRemovingUser``.
    public static var userDeclinedRemovingUser: Code { .userDeclinedRemovingUser }
    /// See ``Code/userDeclinedInvite``.
    public static var userDeclinedInvite: Code { .userDeclinedInvite }
    /// See ``Code/userManagementFailed``.
    public static var userManagementFailed: Code { .userManagementFailed }
    /// See ``Code/recurrenceTooSmall``.
    public static var recurrenceTooSmall: Code { .recurrenceTooSmall }
    /// See ``Code/invalidValueType``.
    public static var invalidValueType: Code { .invalidValueType }
    /// See ``Code/valueLowerThanMinimum``.
    public static var valueLowerThanMinimum: Code { .valueLowerThanMinimum }
    /// See ``Code/valueHigherThanMaximum``.
    public static var valueHigherThanMaximum: Code { .valueHigherThanMaximum }
    /// See ``Code/stringLongerThanMaximum``.
    public static var stringLongerThanMaximum: Code { .stringLongerThanMaximum }
    /// See ``Code/homeAccessNotAuthorized``.
    public static var homeAccessNotAuthorized: Code { .homeAccessNotAuthorized }
    /// See ``Code/operationNotSupported``.
    public static var operationNotSupported: Code { .operationNotSupported }
    /// See ``Code/maximumObjectLimitReached``.
    public static var maximumObjectLimitReached: Code { .maximumObjectLimitReached }
    /// See ``Code/accessorySentInvalidResponse``.
    public static var accessorySentInvalidResponse: Code { .accessorySentInvalidResponse }
    /// See ``Code/stringShorterThanMinimum``.
    public static var stringShorterThanMinimum: Code { .stringShorterThanMinimum }
    /// See ``Code/genericError``.
    public static var genericError: Code { .genericError }
    /// See ``Code/securityFailure``.
    public static var securityFailure: Code { .securityFailure }
    /// See ``Code/communicationFailure``.
    public static var communicationFailure: Code { .communicationFailure }
    /// See ``Code/messageAuthenticationFailed``.
    public static var messageAuthenticationFailed: Code { .messageAuthenticationFailed }
    /// See ``Code/invalidMessageSize``.
    public static var invalidMessageSize: Code { .invalidMessageSize }
    /// See ``Code/accessoryDiscoveryFailed``.
    public static var accessoryDiscoveryFailed: Code { .accessoryDiscoveryFailed }
    /// See ``Code/clientRequestError``.
    public static var clientRequestError: Code { .clientRequestError }
    /// See ``Code/accessoryResponseError``.
    public static var accessoryResponseError: Code { .accessoryResponseError }
    /// See ``Code/nameDoesNotEndWithValidCharacters``.
    public static var nameDoesNotEndWithValidCharacters: Code { .nameDoesNotEndWithValidCharacters }
    /// See ``Code/accessoryIsBlocked``.
    public static var accessoryIsBlocked: Code { .accessoryIsBlocked }
    /// See ``Code/invalidAssociatedServiceType``.
    public static var invalidAssociatedServiceType: Code { .invalidAssociatedServiceType }
    /// See ``Code/actionSetExecutionFailed``.
    public static var actionSetExecutionFailed: Code { .actionSetExecutionFailed }
    /// See ``Code/actionSetExecutionPartialSuccess``.
    public static var actionSetExecutionPartialSuccess: Code { .actionSetExecutionPartialSuccess }
    /// See ``Code/actionSetExecutionInProgress``.
    public static var actionSetExecutionInProgress: Code { .actionSetExecutionInProgress }
    /// See ``Code/accessoryOutOfCompliance``.
    public static var accessoryOutOfCompliance: Code { .accessoryOutOfCompliance }
    /// See ``Code/dataResetFailure``.
    public static var dataResetFailure: Code { .dataResetFailure }
    /// See ``Code/notificationAlreadyEnabled``.
    public static var notificationAlreadyEnabled: Code { .notificationAlreadyEnabled }
    /// See ``Code/recurrenceMustBeOnSpecifiedBoundaries``.
    public static var recurrenceMustBeOnSpecifiedBoundaries: Code { .recurrenceMustBeOnSpecifiedBoundaries }
    /// See ``Code/dateMustBeOnSpecifiedBoundaries``.
    public static var dateMustBeOnSpecifiedBoundaries: Code { .dateMustBeOnSpecifiedBoundaries }
    /// See ``Code/cannotActivateTriggerTooFarInFuture``.
    public static var cannotActivateTriggerTooFarInFuture: Code { .cannotActivateTriggerTooFarInFuture }
    /// See ``Code/recurrenceTooLarge``.
    public static var recurrenceTooLarge: Code { .recurrenceTooLarge }
    /// See ``Code/readWritePartialSuccess``.
    public static var readWritePartialSuccess: Code { .readWritePartialSuccess }
    /// See ``Code/readWriteFailure``.
    public static var readWriteFailure: Code { .readWriteFailure }
    /// See ``Code/notSignedIntoiCloud``.
    public static var notSignedIntoiCloud: Code { .notSignedIntoiCloud }
    /// See ``Code/keychainSyncNotEnabled``.
    public static var keychainSyncNotEnabled: Code { .keychainSyncNotEnabled }
    /// See ``Code/cloudDataSyncInProgress``.
    public static var cloudDataSyncInProgress: Code { .cloudDataSyncInProgress }
    /// See ``Code/networkUnavailable``.
    public static var networkUnavailable: Code { .networkUnavailable }
    /// See ``Code/addAccessoryFailed``.
    public static var addAccessoryFailed: Code { .addAccessoryFailed }
    /// See ``Code/missingEntitlement``.
    public static var missingEntitlement: Code { .missingEntitlement }
    /// See ``Code/cannotUnblockNonBridgeAccessory``.
    public static var cannotUnblockNonBridgeAccessory: Code { .cannotUnblockNonBridgeAccessory }
    /// See ``Code/deviceLocked``.
    public static var deviceLocked: Code { .deviceLocked }
    /// See ``Code/cannotRemoveBuiltinActionSet``.
    public static var cannotRemoveBuiltinActionSet: Code { .cannotRemoveBuiltinActionSet }
    /// See ``Code/locationForHomeDisabled``.
    public static var locationForHomeDisabled: Code { .locationForHomeDisabled }
    /// See ``Code/notAuthorizedForLocationServices``.
    public static var notAuthorizedForLocationServices: Code { .notAuthorizedForLocationServices }
    /// See ``Code/referToUserManual``.
    public static var referToUserManual: Code { .referToUserManual }
    /// See ``Code/invalidOrMissingAuthorizationData``.
    public static var invalidOrMissingAuthorizationData: Code { .invalidOrMissingAuthorizationData }
    /// See ``Code/bridgedAccessoryNotReachable``.
    public static var bridgedAccessoryNotReachable: Code { .bridgedAccessoryNotReachable }
    /// See ``Code/notAuthorizedForMicrophoneAccess``.
    public static var notAuthorizedForMicrophoneAccess: Code { .notAuthorizedForMicrophoneAccess }
    /// See ``Code/incompatibleNetwork``.
    public static var incompatibleNetwork: Code { .incompatibleNetwork }
    /// See ``Code/noHomeHub``.
    public static var noHomeHub: Code { .noHomeHub }
    /// See ``Code/noCompatibleHomeHub``.
    public static var noCompatibleHomeHub: Code { .noCompatibleHomeHub }
    /// See ``Code/incompatibleAccessory``.
    public static var incompatibleAccessory: Code { .incompatibleAccessory }
    /// See ``Code/objectWithSimilarNameExists``.
    public static var objectWithSimilarNameExists: Code { .objectWithSimilarNameExists }
    /// See ``Code/ownershipFailure``.
    public static var ownershipFailure: Code { .ownershipFailure }
    /// See ``Code/maximumAccessoriesOfTypeInHome``.
    public static var maximumAccessoriesOfTypeInHome: Code { .maximumAccessoriesOfTypeInHome }
    /// See ``Code/wiFiCredentialGenerationFailed``.
    public static var wiFiCredentialGenerationFailed: Code { .wiFiCredentialGenerationFailed }
    /// See ``Code/enterpriseNetworkNotSupported``.
    public static var enterpriseNetworkNotSupported: Code { .enterpriseNetworkNotSupported }
    /// See ``Code/timedOutWaitingForAccessory``.
    public static var timedOutWaitingForAccessory: Code { .timedOutWaitingForAccessory }
    /// See ``Code/accessoryCommunicationFailure``.
    public static var accessoryCommunicationFailure: Code { .accessoryCommunicationFailure }
    /// See ``Code/failedToJoinNetwork``.
    public static var failedToJoinNetwork: Code { .failedToJoinNetwork }
    /// See ``Code/accessoryIsSuspended``.
    public static var accessoryIsSuspended: Code { .accessoryIsSuspended }
    /// See ``Code/partialCommunicationFailure``.
    public static var partialCommunicationFailure: Code { .partialCommunicationFailure }
    /// See ``Code/homeUpgradeRequired``.
    public static var homeUpgradeRequired: Code { .homeUpgradeRequired }
}
