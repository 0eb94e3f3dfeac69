export type ThemeChoice = 'light' | 'dark' | 'system';

/** Returns the choice that `initial-theme.ts` or `chooseTheme` applied. */
export function chosenTheme(): ThemeChoice {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem('theme');
  } else {
    document.documentElement.dataset.theme = choice;
    localStorage.setItem('theme', choice);
  }
}
