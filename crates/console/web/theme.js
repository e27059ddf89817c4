// Sets the colours a person has chosen before anything is drawn. A script of its own, so that nothing flashes.
(() => {
  try {
    const chosen = localStorage.getItem("larder-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be forbidden; then the system's colours hold.
  }
})();
