/** HTML as a tagged template: values are escaped unless they are HTML themselves. */

export interface Html {
  readonly markup: string;
}

type Value = Html | string | number | null | undefined | false | readonly Value[];

export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return { markup: String.raw({ raw: strings }, ...values.map(render)) };
}

/** Marks trusted markup, such as a generated image. */
export function trustedHtml(markup: string): Html {
  return { markup };
}

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
  return 'markup' in value ? value.markup : value.map(render).join('');
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}
