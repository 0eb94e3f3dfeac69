/** Status messages, which the dashboard shows for a few seconds, and screen readers read aloud. */
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Keeps every status message of the context's pages, so that a test on a slow machine misses none. */
export async function recordAnnouncements(context: BrowserContext): Promise<void> {
  await context.addInitScript({
    content: `
      globalThis.announcements = [];
      const lastTexts = new WeakMap();
      new MutationObserver(() => {
        for (const region of document.querySelectorAll('[role=status], [aria-live]')) {
          const text = region.textContent;
          if (text !== '' && text !== lastTexts.get(region)) announcements.push(text);
          lastTexts.set(region, text);
        }
      }).observe(document, { subtree: true, childList: true, characterData: true });`,
  });
}

/** Resolves when a status message with this text has been shown since the page was loaded. Each is found once. */
export async function announced(page: Page, text: string): Promise<void> {
  const take = (expected: string): boolean => {
    const texts: string[] = Reflect.get(globalThis, 'announcements');
    const index = texts.findIndex((announcement) => announcement.includes(expected));
    if (index >= 0) texts.splice(index, 1);
    return index >= 0;
  };
  await expect.poll(() => page.evaluate(take, text), { message: `The page announces “${text}”` }).toBe(true);
}
