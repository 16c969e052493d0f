@_exported public import GoogleHomeSDK
