// Runs only where modules are unknown.
document.getElementById("old-browser").hidden = false;
