/// The traits that Matter's clusters make.
///
/// With the module `Matter` imported too, this name hides the module's: write `MTRSetupPayload` without it.
public enum Matter {}
