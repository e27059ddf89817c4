//! Letters without their marks, as generated code carries them so that it makes the same slugs as a design does.

/// Plain letters and their marked forms, as `items::slug` has them.
pub(in crate::export) const MARKED: [(char, &str); 12] = [
    ('a', "àáâãäåāăąạảấầẩẫậắằẳẵặǎ"),
    ('c', "çćĉċč"),
    ('d', "đďð"),
    ('e', "èéêëēĕėęěẹẻẽếềểễệ"),
    ('g', "ĝğġģ"),
    ('i', "ìíîïĩīĭįıịỉ"),
    ('n', "ñńņňŋ"),
    ('o', "òóôõöøōŏőơọỏốồổỗộớờởỡợ"),
    ('s', "śŝşšș"),
    ('u', "ùúûüũūŭůűųưụủứừửữự"),
    ('y', "ýÿŷỳỵỷỹ"),
    ('z', "źżž"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::slug;

    #[test]
    fn slugs_of_a_design_agree_with_the_letters() {
        for letter in ('\u{c0}'..'\u{1f00}').filter(|letter| letter.is_lowercase()) {
            let plain = MARKED.iter().find(|(_, marked)| marked.contains(letter)).map(|(plain, _)| *plain);
            if plain.is_some()
                || MARKED.iter().any(|(plain, _)| slug(&letter.to_string()) == plain.to_string())
            {
                assert_eq!(slug(&letter.to_string()), plain.unwrap_or(letter).to_string());
            }
        }
    }
}
