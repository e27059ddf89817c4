//! Tables in Markdown, padded so that they also read well in a terminal, and numbers as people write them.

/// A table that is filled row by row.
pub(crate) struct Grid {
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A table with these headings.
    pub(crate) fn new<T: Into<String>>(headings: impl IntoIterator<Item = T>) -> Self {
        Self { rows: vec![headings.into_iter().map(Into::into).collect()] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as text; the first column leans left, all others right.
    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
            })
            .map(|width| width.unwrap_or(0).max(3))
            .collect();
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            text += &line(row, &widths);
            if number == 0 {
                let rule = |(column, width): (usize, &usize)| {
                    if column == 0 { "-".repeat(*width) } else { format!("{}:", "-".repeat(width - 1)) }
                };
                text += &line(&widths.iter().enumerate().map(rule).collect::<Vec<_>>(), &widths);
            }
        }
        text
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut text = String::from("|");
    for (column, width) in widths.iter().enumerate() {
        let cell = cells.get(column).map_or("", String::as_str);
        text += &if column == 0 { format!(" {cell:<width$} |") } else { format!(" {cell:>width$} |") };
    }
    text + "\n"
}

/// A figure or a dash.
pub(crate) fn or_dash(figure: Option<f64>, show: impl Fn(f64) -> String) -> String {
    figure.map_or_else(|| "-".to_owned(), show)
}

/// A whole number with commas.
pub(crate) fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with as many decimals as it deserves.
pub(crate) fn short(number: f64) -> String {
    if number < 1.0 {
        format!("{number:.3}")
    } else if number < 10.0 {
        format!("{number:.2}")
    } else if number < 100.0 {
        format!("{number:.1}")
    } else {
        whole(number)
    }
}

/// A ratio.
pub(crate) fn times(number: f64) -> String {
    if number < 10.0 { format!("{number:.2} x") } else { format!("{number:.1} x") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!([0.0, 999.0, 1000.0, 1_234_567.0].map(whole), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.1234, 1.234, 12.34, 1234.5].map(short), ["0.123", "1.23", "12.3", "1,234"]);
    }

    #[test]
    fn columns_line_up() {
        let mut grid = Grid::new(["name", "n"]);
        grid.row(vec!["a".to_owned(), "1,000".to_owned()]);
        assert_eq!(grid.render(), "| name |     n |\n| ---- | ----: |\n| a    | 1,000 |\n");
    }
}
