/** Checks that files and folders are neither too small nor too many to find one's way. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, sourceFilesIn, sourceModule } from '#test/support/source/modules.ts';

// Without `inference`, where a folder has all parts of a protocol or format: up to 23 files.
const files = [
  ...sourceFilesIn('lambdas').filter((file) => !file.startsWith('lambdas/inference/')),
  ...sourceFilesIn('dashboard'),
];

const importingFiles = [
  ...sourceFilesIn('bin', 'cli', 'dashboard', 'lambdas', 'lib', 'local'),
  'gateway.config.ts',
  'vitest.config.ts',
];

const limits = { minMedianLines: 75, maxFilesInFolder: 14, minFilesInFolder: 3, minLinesOfSingleUse: 25 };

/** Folders of the dashboard's page, each of which is a view or what views share, however small. */
const viewFolder = /^dashboard\/[^/]+$/;

/** Short files that one file uses, which would otherwise contain them, with the reason why they are apart. */
const shortFilesOfSingleUse: Record<string, string> = {
  'lambdas/accounts/analytics/handler.ts': 'tests create it too, and cannot import the entry point',
  'lambdas/accounts/sign-up/invitation-lookup.ts': 'most sign-ups do not load the SDK',
  'dashboard/account/qr-code.tsx': 'only the set-up of an authenticator app loads the encoder',
  'dashboard/shell/initial-theme.ts': 'a script of its own, which runs before the first paint',
};

const linesOf = (file: string) => sourceModule(file).code.trimEnd().split('\n').length;

function medianOf(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The files directly in each folder. */
const folders = Map.groupBy(files, (file) => path.dirname(file));
const hasSubfolder = (folder: string) => files.some((file) => path.dirname(file).startsWith(`${folder}/`));

describe('The files of lambdas and dashboard', () => {
  it('have enough lines each that the median is above the minimum', () => {
    expect(files.length).toBeGreaterThan(300);
    expect(medianOf(files.map(linesOf))).toBeGreaterThanOrEqual(limits.minMedianLines);
  });

  it('stand in folders of not too many files', () => {
    const large = [...folders].filter(([, inFolder]) => inFolder.length > limits.maxFilesInFolder);
    expect(large.map(([folder, inFolder]) => `${folder}: ${inFolder.length} files`)).toEqual([]);
  });

  it('stand in folders of more than two files, or with subfolders', () => {
    const small = [...folders].filter(
      ([folder, inFolder]) =>
        inFolder.length < limits.minFilesInFolder && !hasSubfolder(folder) && !viewFolder.test(folder),
    );
    expect(small.map(([folder, inFolder]) => `${folder}: ${inFolder.length} files`)).toEqual([]);
  });

  it('are part of the file that uses them, if they are short and no other file uses them', () => {
    const imports = importingFiles.map((file) => new Set(importsOf(file)));
    const importerCount = (file: string) => imports.filter((imported) => imported.has(file)).length;
    const short = files
      .filter((file) => !file.endsWith('.lambda.ts'))
      .filter((file) => linesOf(file) < limits.minLinesOfSingleUse && importerCount(file) < 2);
    expect(short).toEqual(Object.keys(shortFilesOfSingleUse));
  });
});
