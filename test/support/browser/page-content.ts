/** Reads the content of a page of the dashboard. */
import { readFile } from 'node:fs/promises';
import type { Download, Locator, Page } from 'playwright-core';
import { readCsv } from '../csv-reader.ts';

/**
 * Resolves when every panel has its data, or says why not. One query asks for the heading and for loading panels, since
 * there is neither while the code of the view is downloaded.
 */
export async function panelsLoaded(page: Page): Promise<void> {
  await page.locator('main:has(h1):not(:has([aria-busy=true]))').waitFor();
}

/** Opens another view as a link does, since loading the page again takes half a second of processor time. */
export async function navigateTo(page: Page, url: string, title: string | RegExp): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${url}'); dispatchEvent(new PopStateEvent('popstate'))`);
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

interface TableElement {
  rows: Iterable<{ cells: Iterable<{ textContent: string }> }>;
}

/** The texts of the cells, by row. */
export function cells(table: Locator): Promise<string[][]> {
  return table.evaluate(({ rows }: TableElement) =>
    Array.from(rows, (row) => Array.from(row.cells, ({ textContent }) => textContent.trim())),
  );
}

/** The chart's figures as text, with a heading. */
export async function chartTable(page: Page, name: string): Promise<string[][]> {
  await page.getByRole('button', { name: `Show table of ${name}` }).click();
  return cells(page.getByRole('figure', { name }).getByRole('table'));
}

/** The ids of the log entries whose rows exist: those in view, and some around them. */
export function listedIds(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `Array.from(document.querySelectorAll('tr[data-id]'), (row) => row.getAttribute('data-id'))`,
  );
}

interface Box {
  name: string;
  top: number;
  height: number;
}

/** Measures the panels, in the order of the document. */
export function panelBoxes(page: Page): Promise<Box[]> {
  return page.evaluate<Box[]>(`Array.from(document.querySelectorAll('main section, main dl'), (panel) => {
    const { top, height } = panel.getBoundingClientRect();
    return { name: panel.getAttribute('aria-label') ?? panel.querySelector('h2')?.textContent, top, height };
  })`);
}

/** The records of a downloaded CSV file by the names of its columns. */
export async function downloadedRecords(
  download: Promise<Download>,
): Promise<Record<string, string | null>[]> {
  const text = await readFile(await (await download).path(), 'utf8');
  const [names = [], ...records] = readCsv(text);
  return records.map((fields) =>
    Object.fromEntries(names.map((name, index) => [name ?? '', fields[index] ?? null])),
  );
}
