/** Checks that the views of the dashboard's page do not import each other, and that what they share stands in layers below them. */
import { describe, expect, it } from 'vitest';
import { importsOf, sourceFilesIn, sourceModule } from '#test/support/source/modules.ts';

/** Folders that every view may use, from the lowest layer to the highest. Each imports only those below it. */
const sharedFolders = [
  'api',
  'components',
  'current-organization',
  'range',
  'key-names',
  'rate-limits',
  'allowed-models',
  'issued-key',
  'filters',
  'metrics',
  'charts',
  'shell',
];

const budgetsOfKey = 'the page of a key shows its budgets, and sets one';
const firstSteps = 'the first steps create a key and use it at once';

/** Imports between views, with the reason. */
const exceptions: Record<string, string> = {
  'dashboard/billing/billing-view.tsx imports dashboard/budgets/budgets-panel.tsx':
    'billing shows and changes the budgets',
  'dashboard/keys/page/budgets.tsx imports dashboard/budgets/budget-dialog.tsx': budgetsOfKey,
  'dashboard/keys/page/budgets.tsx imports dashboard/budgets/budget-rows.tsx': budgetsOfKey,
  'dashboard/overview/first-request/key-step.tsx imports dashboard/keys/actions/create-dialog.tsx':
    firstSteps,
  'dashboard/overview/first-request/key-step.tsx imports dashboard/keys/apply-changes.ts': firstSteps,
  'dashboard/prompts/prompt-page.tsx imports dashboard/usage/settings.ts':
    'the page of a prompt is a report of usage whose settings are fixed',
};

const files = sourceFilesIn('dashboard');

/** Returns the folder below `dashboard`; null for the files that start the page and put the views together. */
function folderOf(file: string): string | null {
  const [root, folder, ...rest] = file.split('/');
  return root === 'dashboard' && rest.length > 0 ? (folder ?? null) : null;
}

/** Shared folders import those below them, views all of these, and neither imports a view. */
function mayImport(folder: string, imported: string): boolean {
  const [level, importedLevel] = [sharedFolders.indexOf(folder), sharedFolders.indexOf(imported)];
  return importedLevel !== -1 && (level === -1 || importedLevel < level);
}

describe('The folders of the dashboard', () => {
  it('import only shared folders, and these only those below them', () => {
    const violations = files.flatMap((file) => {
      const folder = folderOf(file);
      return importsOf(file).flatMap((imported) => {
        const importedFolder = folderOf(imported);
        if (folder === null || importedFolder === null || importedFolder === folder) return [];
        return mayImport(folder, importedFolder) ? [] : [`${file} imports ${imported}`];
      });
    });
    expect(violations.sort()).toEqual(Object.keys(exceptions));
  });

  it('do not import the files that put them together', () => {
    const composing = files.filter((file) => folderOf(file) === null);
    const violations = files
      .filter((file) => folderOf(file) !== null)
      .flatMap((file) => importsOf(file).filter((imported) => composing.includes(imported)));
    expect(composing).toContain('dashboard/router.tsx');
    expect(violations).toEqual([]);
  });

  it('exist, if they are called shared', () => {
    const folders = new Set(files.map(folderOf));
    expect(sharedFolders.filter((folder) => !folders.has(folder))).toEqual([]);
    expect(folders.size).toBeGreaterThan(sharedFolders.length + 10);
  });
});

describe('The code that the dashboard loads later', () => {
  it('is awaited with the connection, since Chromium never asks again for a file that it could not load', () => {
    const awaited = /\b(?:loadCode|lazyComponent|lazyView)\(\s*\(\) => import\(/g;
    const codes = files.map((file) => sourceModule(file).code.replaceAll('typeof import(', ''));
    expect(codes.flatMap((code) => code.match(awaited) ?? []).length).toBeGreaterThan(40);
    const others = files.filter((_, index) => codes[index]?.replaceAll(awaited, '').includes('import('));
    expect(others).toEqual([]);
  });
});
