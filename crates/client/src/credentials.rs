//! Who signs: the environment, then the shared files of the AWS tools; for endpoints that ask nobody, a dummy.
//! Knows no request.

use std::path::PathBuf;

use crate::Failure;

/// A key and its secret.
#[derive(Clone)]
pub(crate) struct Credentials {
    pub(crate) access_key_id: String,
    pub(crate) secret_access_key: String,
    pub(crate) session_token: Option<String>,
}

/// The credentials to use: those of a named profile, or what the environment says. Only the real service needs real ones.
pub(crate) fn find(is_service: bool, profile: Option<&str>) -> Result<Credentials, Failure> {
    let look = |name: &str| match profile {
        // A profile that was named outranks keys that happen to be in the environment.
        Some(profile) if name == "AWS_PROFILE" => Some(profile.to_owned()),
        Some(_) if matches!(name, "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" | "AWS_SESSION_TOKEN") => {
            None
        }
        _ => std::env::var(name).ok().filter(|value| !value.is_empty()),
    };
    let read = |path: PathBuf| std::fs::read_to_string(path).ok();
    if let Some(found) = from_environment(&look).or_else(|| from_files(&look, &read)) {
        return Ok(found);
    }
    if let Some(profile) = profile {
        return Err(Failure::local(
            "NoCredentials",
            format!(
                "there is no profile {profile:?} with a key and its secret in ~/.aws/credentials or ~/.aws/config"
            ),
        ));
    }
    if is_service {
        return Err(Failure::local(
            "NoCredentials",
            "there are no credentials for the real service: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or \
             name a profile of ~/.aws/credentials with AWS_PROFILE (for single sign-on: \
             eval \"$(aws configure export-credentials --format env)\")",
        ));
    }
    Ok(Credentials {
        access_key_id: "local".to_owned(),
        secret_access_key: "local".to_owned(),
        session_token: None,
    })
}

/// The region that the environment or the shared files name.
pub fn region() -> Option<String> {
    let look = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let read = |path: PathBuf| std::fs::read_to_string(path).ok();
    look("AWS_REGION").or_else(|| look("AWS_DEFAULT_REGION")).or_else(|| {
        let text = read(file(&look, "AWS_CONFIG_FILE", "config")?)?;
        let profile = look("AWS_PROFILE").unwrap_or_else(|| "default".to_owned());
        value(&text, &profile, "region")
    })
}

fn from_environment(look: &dyn Fn(&str) -> Option<String>) -> Option<Credentials> {
    Some(Credentials {
        access_key_id: look("AWS_ACCESS_KEY_ID")?,
        secret_access_key: look("AWS_SECRET_ACCESS_KEY")?,
        session_token: look("AWS_SESSION_TOKEN"),
    })
}

fn from_files(
    look: &dyn Fn(&str) -> Option<String>,
    read: &dyn Fn(PathBuf) -> Option<String>,
) -> Option<Credentials> {
    let profile = look("AWS_PROFILE").unwrap_or_else(|| "default".to_owned());
    let files = [("AWS_SHARED_CREDENTIALS_FILE", "credentials"), ("AWS_CONFIG_FILE", "config")];
    files.iter().find_map(|(variable, name)| {
        let text = read(file(look, variable, name)?)?;
        Some(Credentials {
            access_key_id: value(&text, &profile, "aws_access_key_id")?,
            secret_access_key: value(&text, &profile, "aws_secret_access_key")?,
            session_token: value(&text, &profile, "aws_session_token"),
        })
    })
}

fn file(look: &dyn Fn(&str) -> Option<String>, variable: &str, name: &str) -> Option<PathBuf> {
    let named = look(variable).map(PathBuf::from);
    let home = || look("HOME").or_else(|| look("USERPROFILE"));
    named.or_else(|| Some(PathBuf::from(home()?).join(".aws").join(name)))
}

/// The value of a key in a profile of an INI file; the config file writes `[profile NAME]` for all but the default.
fn value(text: &str, profile: &str, key: &str) -> Option<String> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let section = section.trim();
            inside = section == profile || section.strip_prefix("profile ").map(str::trim) == Some(profile);
        } else if inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return Some(value.trim().to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# keys\n[default]\naws_access_key_id = A\naws_secret_access_key=B\n\n[profile other]\naws_access_key_id = C\naws_secret_access_key = D\naws_session_token = E\nregion = eu-west-1\n";

    fn found(variables: &[(&str, &str)]) -> Option<(String, String, Option<String>)> {
        let look = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        };
        let read = |path: PathBuf| path.ends_with(".aws/credentials").then(|| FILE.to_owned());
        let found = from_environment(&look).or_else(|| from_files(&look, &read))?;
        Some((found.access_key_id, found.secret_access_key, found.session_token))
    }

    #[test]
    fn the_environment_outranks_the_files() {
        let owned = |id: &str, secret: &str, token: Option<&str>| {
            Some((id.to_owned(), secret.to_owned(), token.map(str::to_owned)))
        };
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("HOME", "/h")]), owned("A", "B", None));
        assert_eq!(found(&[("HOME", "/h"), ("AWS_PROFILE", "other")]), owned("C", "D", Some("E")));
        assert_eq!(found(&[("HOME", "/h"), ("AWS_PROFILE", "none")]), None);
        let both = [("HOME", "/h"), ("AWS_ACCESS_KEY_ID", "X"), ("AWS_SECRET_ACCESS_KEY", "Y")];
        assert_eq!(found(&both), owned("X", "Y", None));
        assert_eq!(value(FILE, "other", "region").as_deref(), Some("eu-west-1"));
    }
}
