//! The only error a caller sees: its kind, its text, what comes with it.

use item::Item;

/// An error of the API.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// What went wrong.
    pub kind: Kind,
    /// The text, which is part of the contract.
    pub message: String,
    /// The item that failed a condition, where the caller asked for it.
    pub item: Option<Item>,
    /// One reason an action, for a cancelled transaction.
    pub reasons: Vec<Reason>,
}

/// The errors of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is the exception of its name")]
pub enum Kind {
    AccessDenied,
    BackupInUse,
    BackupNotFound,
    ConditionalCheckFailed,
    ContinuousBackupsUnavailable,
    ExpiredIterator,
    ExportConflict,
    ExportNotFound,
    IdempotentParameterMismatch,
    ImportConflict,
    ImportNotFound,
    InternalServerError,
    InvalidExportTime,
    InvalidRestoreTime,
    ItemCollectionSizeLimitExceeded,
    LimitExceeded,
    MissingAuthenticationToken,
    PointInTimeRecoveryUnavailable,
    ProvisionedThroughputExceeded,
    RequestEntityTooLarge,
    RequestLimitExceeded,
    ResourceInUse,
    ResourceNotFound,
    Serialization,
    ServiceUnavailable,
    TableAlreadyExists,
    TableInUse,
    TableNotFound,
    Throttling,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
    TrimmedDataAccess,
    UnknownOperation,
    Validation,
}

/// Why an action of a transaction failed, or that it did not.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The code.
    pub code: ReasonCode,
    /// The text; none where the action was not at fault.
    pub message: Option<String>,
    /// The item that failed the condition, where the caller asked for it.
    pub item: Option<Item>,
}

/// The codes of cancellation reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the code of its name")]
pub enum ReasonCode {
    None,
    ConditionalCheckFailed,
    ItemCollectionSizeLimitExceeded,
    TransactionConflict,
    ProvisionedThroughputExceeded,
    ThrottlingError,
    ValidationError,
    DuplicateItem,
}

impl ReasonCode {
    /// The code on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            ReasonCode::None => "None",
            ReasonCode::ConditionalCheckFailed => "ConditionalCheckFailed",
            ReasonCode::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded",
            ReasonCode::TransactionConflict => "TransactionConflict",
            ReasonCode::ProvisionedThroughputExceeded => "ProvisionedThroughputExceeded",
            ReasonCode::ThrottlingError => "ThrottlingError",
            ReasonCode::ValidationError => "ValidationError",
            ReasonCode::DuplicateItem => "DuplicateItem",
        }
    }
}

impl Reason {
    /// The reason of an action that was not at fault.
    pub fn none() -> Reason {
        Reason { code: ReasonCode::None, message: None, item: None }
    }
}

impl Error {
    /// An error with nothing but a text.
    pub fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), item: None, reasons: Vec::new() }
    }

    /// A ValidationException.
    pub fn validation(message: impl Into<String>) -> Error {
        Error::new(Kind::Validation, message)
    }

    /// A ValidationException about parameter values.
    pub fn invalid(detail: impl std::fmt::Display) -> Error {
        Error::validation(format!("One or more parameter values were invalid: {detail}"))
    }

    /// The table does not exist, as item operations say it.
    pub fn no_table() -> Error {
        Error::new(Kind::ResourceNotFound, "Requested resource not found")
    }

    /// A failed condition.
    pub fn condition_failed(item: Option<Item>) -> Error {
        Error { item, ..Error::new(Kind::ConditionalCheckFailed, "The conditional request failed") }
    }

    /// A cancelled transaction: one reason an action, in order.
    pub fn cancelled(reasons: Vec<Reason>) -> Error {
        let codes: Vec<&str> = reasons.iter().map(|reason| reason.code.as_str()).collect();
        let message = format!(
            "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
            codes.join(", ")
        );
        Error { reasons, ..Error::new(Kind::TransactionCanceled, message) }
    }

    /// A fault of ours. The cause is logged, not told.
    pub fn internal() -> Error {
        Error::new(
            Kind::InternalServerError,
            "The request processing has failed because of an unknown error, exception or failure.",
        )
    }
}

impl From<expr::Error> for Error {
    fn from(error: expr::Error) -> Error {
        Error::validation(error.message())
    }
}
