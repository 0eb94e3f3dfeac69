/** Checks that the links between the documents, and from the code to them, lead somewhere. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot, sourceFilesIn } from '#test/support/source/modules.ts';

const folders = ['bench', 'bin', 'cli', 'dashboard', 'lambdas', 'lib', 'local'];
const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: projectRoot })];
const sources = [...sourceFilesIn(...folders), ...globSync('*.ts', { cwd: projectRoot })];

interface Link {
  /** The file with the link, relative to the root. */
  from: string;
  target: string;
}

function read(file: string): string {
  return readFileSync(path.join(projectRoot, file), 'utf8');
}

function linksOf(page: string): Link[] {
  const links = read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g);
  return [...links].map(([, target = '']) => ({
    from: page,
    target: target.startsWith('#') ? `${page}${target}` : path.join(path.dirname(page), target),
  }));
}

/** Whole paths of code in backticks. */
function codePathsOf(page: string): Link[] {
  const paths = read(page).matchAll(/`((?:bench|bin|cli|dashboard|lambdas|lib|local|test)\/[\w./-]+)`/g);
  return [...paths].map(([, target = '']) => ({ from: page, target }));
}

/** Mentions of pages with their whole path, outside of URLs. */
function mentionsIn(source: string): Link[] {
  const mentions = read(source).matchAll(/(?<![\w/.-])docs\/[\w/-]+\.(?:md|yaml)(?:#[\w-]+)?/g);
  return [...mentions].map(([target]) => ({ from: source, target }));
}

/** The anchors that GitHub gives the headings; none of a page's headings occurs twice. */
function anchorsOf(page: string): string[] {
  const text = read(page).replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isDead({ target }: Link): boolean {
  const [file = '', anchor] = target.split('#');
  if (!existsSync(path.join(projectRoot, file))) return true;
  return anchor !== undefined && !anchorsOf(file).includes(anchor);
}

it('Links of the documents lead to files and headings', () => {
  const links = pages.flatMap(linksOf);

  expect(links.length).toBeGreaterThan(300);
  expect(links.filter(isDead)).toEqual([]);
});

it('Paths of code in the documents lead to files', () => {
  const paths = pages.flatMap(codePathsOf);

  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter(isDead)).toEqual([]);
});

it('Pages that the code mentions exist, with the heading', () => {
  const mentions = sources.flatMap(mentionsIn);

  expect(mentions.length).toBeGreaterThan(10);
  expect(mentions.filter(isDead)).toEqual([]);
});

it.each(pages)('%s has no two headings with the same anchor', (page) => {
  const anchors = anchorsOf(page);

  expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
});

it('Every page below docs is reached by a link', () => {
  const linked = new Set(pages.flatMap(linksOf).map(({ target }) => target.split('#')[0]));

  expect(pages.filter((page) => page.startsWith('docs/') && !linked.has(page))).toEqual([]);
});
