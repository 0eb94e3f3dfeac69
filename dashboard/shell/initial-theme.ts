// Blocks the first paint, so it is a script of its own without imports. `theme.ts` stores the choice.
try {
  const choice = localStorage.getItem('theme');
  if (choice === 'light' || choice === 'dark') document.documentElement.dataset.theme = choice;
} catch {
  // Without storage, the theme follows the system.
}
