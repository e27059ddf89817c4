//! The words by which stored definitions name states and kinds. They are part of the file format.

use op::{
    BillingMode, DestinationStatus, IndexStatus, KeyKind, Precision, ScalarType, StreamView, TableClass,
    TableStatus, TtlStatus,
};

pub(super) const ALL: &str = "ALL";
pub(super) const KEYS_ONLY: &str = "KEYS_ONLY";
pub(super) const INCLUDE: &str = "INCLUDE";

/// Something that has a word for each of its values.
pub(super) trait Word: Copy + PartialEq + 'static {
    /// Every value with its word.
    const WORDS: &'static [(Self, &'static str)];

    /// The word of a value.
    fn word(self) -> &'static str {
        Self::WORDS
            .iter()
            .find(|(value, _)| *value == self)
            .map(|(_, word)| *word)
            .expect("every value has a word")
    }

    /// The value of a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, known)| *known == word).map(|(value, _)| *value)
    }
}

impl Word for TableStatus {
    const WORDS: &'static [(TableStatus, &'static str)] = &[
        (TableStatus::Creating, "CREATING"),
        (TableStatus::Updating, "UPDATING"),
        (TableStatus::Deleting, "DELETING"),
        (TableStatus::Active, "ACTIVE"),
    ];
}

impl Word for IndexStatus {
    const WORDS: &'static [(IndexStatus, &'static str)] = &[
        (IndexStatus::Creating, "CREATING"),
        (IndexStatus::Updating, "UPDATING"),
        (IndexStatus::Deleting, "DELETING"),
        (IndexStatus::Active, "ACTIVE"),
    ];
}

impl Word for TtlStatus {
    const WORDS: &'static [(TtlStatus, &'static str)] = &[
        (TtlStatus::Enabling, "ENABLING"),
        (TtlStatus::Enabled, "ENABLED"),
        (TtlStatus::Disabling, "DISABLING"),
        (TtlStatus::Disabled, "DISABLED"),
    ];
}

impl Word for ScalarType {
    const WORDS: &'static [(ScalarType, &'static str)] =
        &[(ScalarType::S, "S"), (ScalarType::N, "N"), (ScalarType::B, "B")];
}

impl Word for KeyKind {
    const WORDS: &'static [(KeyKind, &'static str)] = &[(KeyKind::Hash, "HASH"), (KeyKind::Range, "RANGE")];
}

impl Word for BillingMode {
    const WORDS: &'static [(BillingMode, &'static str)] =
        &[(BillingMode::Provisioned, "PROVISIONED"), (BillingMode::PayPerRequest, "PAY_PER_REQUEST")];
}

impl Word for StreamView {
    const WORDS: &'static [(StreamView, &'static str)] = &[
        (StreamView::KeysOnly, KEYS_ONLY),
        (StreamView::NewImage, "NEW_IMAGE"),
        (StreamView::OldImage, "OLD_IMAGE"),
        (StreamView::NewAndOldImages, "NEW_AND_OLD_IMAGES"),
    ];
}

impl Word for DestinationStatus {
    const WORDS: &'static [(DestinationStatus, &'static str)] = &[
        (DestinationStatus::Enabling, "ENABLING"),
        (DestinationStatus::Active, "ACTIVE"),
        (DestinationStatus::Disabling, "DISABLING"),
        (DestinationStatus::Disabled, "DISABLED"),
        (DestinationStatus::EnableFailed, "ENABLE_FAILED"),
        (DestinationStatus::Updating, "UPDATING"),
    ];
}

impl Word for Precision {
    const WORDS: &'static [(Precision, &'static str)] =
        &[(Precision::Millisecond, "MILLISECOND"), (Precision::Microsecond, "MICROSECOND")];
}

impl Word for TableClass {
    const WORDS: &'static [(TableClass, &'static str)] = &[
        (TableClass::Standard, "STANDARD"),
        (TableClass::StandardInfrequentAccess, "STANDARD_INFREQUENT_ACCESS"),
    ];
}
