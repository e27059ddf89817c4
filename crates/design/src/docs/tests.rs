//! Tests of both documents on two of the designs.

use super::*;
use crate::read;

const COOKING: &str = include_str!("../../../../designs/smart-cooking.design.yaml");
const AURA: &str = include_str!("../../../../designs/aura-historia.design.yaml");

fn design(text: &str) -> Design {
    read::read("test.design.yaml", text).0.unwrap()
}

#[test]
fn the_markdown_has_keys_coverage_patterns_and_cost() {
    let design = design(COOKING);
    let text = markdown(&design, &design.environments[0]).unwrap();
    for line in [
        "# smart-cooking\n",
        "```mermaid\nflowchart LR\n",
        "  entityCookingHistory -. \"favorite = true\" .-> index0\n",
        "| Entity | GSI1 | GSI2 | GSI3 |\n|---|:-:|:-:|:-:|\n",
        "| CookingHistory | ◐ favorite = true | – | ● |\n",
        "| `favorite` | boolean |",
        "**ListFavorites**",
        "## Cost\n\n**$",
        "Reaches the billing threshold of $5",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[test]
fn the_page_stands_alone_and_escapes_what_it_shows() {
    for text in [COOKING, AURA] {
        let mut design = design(text);
        design.description = Some("<script>alert(1)</script> & more".into());
        let page = html(&design, &design.environments[0]).unwrap();
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; more"));
        assert!(
            !page.contains("src=") && !page.contains("@import") && !page.contains("<link"),
            "it needs nothing else"
        );
        for tag in ["details", "table", "section", "span", "div", "tr", "svg"] {
            let opened =
                page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}

#[test]
fn an_index_shows_only_what_it_holds_in_its_order() {
    let design = design(AURA);
    let bill = crate::cost::cost(&design, &design.environments[0], None).unwrap();
    let facts = Facts::new(&design, &design.environments[0], &bill);
    let views = &facts.tables[0].views;
    let crawled = views.iter().find(|view| view.index.as_deref() == Some("CountryLastCrawledIndex")).unwrap();
    let (_, american) = crawled.partitions.iter().find(|(country, _)| country == "US").unwrap();
    let names: Vec<&str> = american.iter().map(|row| row.sample.as_str()).collect();
    assert_eq!(names.first(), Some(&"boston"));
    assert!(!names.contains(&"new_shop"));
    let attributes: Vec<&str> = american[0].attributes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(attributes, ["PK", "SK", "domain"]);
}
