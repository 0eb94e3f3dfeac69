/** The choice between light and dark, which `initial-theme.ts` applies before the first paint. */

export type Theme = 'light' | 'dark' | 'system';

export function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function chooseTheme(choice: Theme): void {
  if (choice === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem('theme');
  } else {
    document.documentElement.dataset.theme = choice;
    localStorage.setItem('theme', choice);
  }
}
