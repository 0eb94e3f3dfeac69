/** A person with a browser of their own: its cookies are separate from those of the others. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { byTestForm } from '../test-form.ts';
import { recordAnnouncements } from './announcements.ts';

export interface User {
  context: BrowserContext;
  page: Page;
  /** Violations of the content-security policy, uncaught errors, and errors on the console, on all pages so far. */
  problems(): readonly string[];
}

export const devices = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

interface Appearance {
  device: keyof typeof devices;
  colorScheme: 'light' | 'dark';
}

const appearances: readonly Appearance[] = [
  { device: 'desktop', colorScheme: 'dark' },
  { device: 'phone', colorScheme: 'light' },
  { device: 'desktop', colorScheme: 'light' },
  { device: 'phone', colorScheme: 'dark' },
];

/**
 * The appearances in which to check the view at this position of a list. The short form checks each view in one, and
 * alternates between them: contrast depends on the color scheme, layout on the device.
 */
export function appearancesOf(index: number): readonly Appearance[] {
  return byTestForm({
    short: appearances.filter((_, position) => position === index % appearances.length),
    long: appearances,
  });
}

/** Limits actions and locators, as long as Vitest polls. */
const defaultTimeoutMs = 60_000;

export async function openUser(browser: Browser, locale = 'en-GB'): Promise<User> {
  const context = await browser.newContext({
    viewport: devices.desktop,
    colorScheme: 'light',
    locale,
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(defaultTimeoutMs);
  const problems: string[] = [];
  await context.exposeBinding('reportViolation', (_source, text: string) => problems.push(text));
  await context.addInitScript({ content: reportViolations });
  await recordAnnouncements(context);
  context.on('weberror', (error) => problems.push(String(error.error())));
  context.on('console', (message) => {
    // The browser itself logs each response of 400 and above, which tests of refusals expect.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  return { context, page: await context.newPage(), problems: () => problems };
}

/** Runs in the page, where the policy does not apply to it. */
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  reportViolation(event.violatedDirective + ' blocked ' + event.blockedURI + ' in ' + event.sourceFile))`;

export async function setAppearance(page: Page, { device, colorScheme }: Appearance): Promise<void> {
  await page.setViewportSize(devices[device]);
  await page.emulateMedia({ colorScheme });
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const axeTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Colours within a transition are no finding. One that ends can begin another, of an element inside. */
const afterTransitions = `(async () => {
  const isMoving = ({ effect, playState }) =>
    playState === 'running' && Number.isFinite(effect.getComputedTiming().endTime);
  let moving;
  do {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    moving = document.getAnimations().filter(isMoving);
    await Promise.allSettled(moving.map(({ finished }) => finished));
  } while (moving.length > 0);
})()`;

/** Returns a line for each finding of axe: the rule, and the elements. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  await page.evaluate(afterTransitions);
  const { violations } = await page.evaluate(
    (values): Promise<AxeResults> =>
      Reflect.get(globalThis, 'axe').run({ runOnly: { type: 'tag', values }, resultTypes: ['violations'] }),
    axeTags,
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
}
