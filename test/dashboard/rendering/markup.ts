/** Renders parts of the page without a browser: their markup, as a tree that tests read. */
import { type ComponentType, createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

export interface RenderedElement {
  tag: string;
  attributes: Record<string, string>;
  children: (RenderedElement | string)[];
}

/** Returns what the node renders, below an element without a name. Effects do not run. */
export function render(node: ReactNode): RenderedElement {
  return parseMarkup(renderToStaticMarkup(node));
}

export function renderComponent<Props extends object>(
  component: ComponentType<Props>,
  props: Props,
): RenderedElement {
  return render(createElement(component, props));
}

const voidTags = new Set(['input', 'br', 'wbr', 'img', 'hr']);

/** Reads the markup that React writes, which closes all elements and quotes all attributes. */
function parseMarkup(markup: string): RenderedElement {
  const root: RenderedElement = { tag: '', attributes: {}, children: [] };
  const open = [root];
  // Comments separate texts, and mark what waits for code.
  for (const [, closed, tag, attributes = '', text] of markup
    .replaceAll(/<!--.*?-->/g, '')
    .matchAll(/<\/([\w-]+)>|<([\w-]+)((?:\s+[\w:-]+="[^"]*")*)\s*\/?>|([^<]+)/g)) {
    if (closed !== undefined) open.pop();
    else if (text !== undefined) open.at(-1)?.children.push(decode(text));
    else if (tag !== undefined) {
      const element: RenderedElement = { tag, attributes: parseAttributes(attributes), children: [] };
      open.at(-1)?.children.push(element);
      if (!voidTags.has(tag)) open.push(element);
    }
  }
  return root;
}

function parseAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      decode(value),
    ]),
  );
}

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

function decode(text: string): string {
  return text.replaceAll(/&[#\w]+;/g, (entity) => entities[entity] ?? entity).replaceAll('\u202f', ' ');
}

/** Returns the text as it is read out: without what is hidden from screen readers. */
export function textOf(element: RenderedElement | string): string {
  if (typeof element === 'string') return element;
  if (element.attributes['aria-hidden'] === 'true') return '';
  return element.children.map(textOf).join('');
}

/** Returns the elements that match, such as `button` or `[role=alert]`, in the order of the document. */
export function all(element: RenderedElement, selector: string): RenderedElement[] {
  const [, tag, name, value] = /^([\w-]*)(?:\[([\w:-]+)(?:=([^\]]*))?\])?$/.exec(selector) ?? [];
  const matches = (each: RenderedElement) =>
    (!tag || each.tag === tag) &&
    (name === undefined || (value === undefined ? name in each.attributes : each.attributes[name] === value));
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return [...(matches(child) ? [child] : []), ...all(child, selector)];
  });
}

/** Returns the only element that matches. */
export function only(element: RenderedElement, selector: string): RenderedElement {
  const [found, ...others] = all(element, selector);
  if (found === undefined || others.length > 0)
    throw new Error(`${found === undefined ? 'No' : others.length + 1} elements match ${selector}`);
  return found;
}

/** The texts of the elements that match. */
export function texts(element: RenderedElement, selector: string): string[] {
  return all(element, selector).map(textOf);
}

/** The names of the controls that match: their labels or texts. */
export function names(element: RenderedElement, selector: string): string[] {
  return all(element, selector).map((each) => each.attributes['aria-label'] ?? textOf(each));
}
