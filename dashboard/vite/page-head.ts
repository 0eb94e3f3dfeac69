import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HtmlTagDescriptor, type Plugin, transformWithOxc } from 'vite';

const themeScript = 'shell/initial-theme.ts';
const textFont = 'inter-latin-wght-normal.woff2';

/**
 * Adds what the first paint needs to the page's head: the script that applies the stored theme, which must block and so
 * cannot be a module, and a preload of the font.
 */
export function pageHead(): Plugin {
  return {
    name: 'page-head',
    async generateBundle() {
      const file = join(this.environment.config.root, themeScript);
      const { code } = await transformWithOxc(readFileSync(file, 'utf8'), file, { sourcemap: false });
      this.emitFile({ type: 'asset', name: 'initial-theme.js', source: code });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }): HtmlTagDescriptor[] {
        if (bundle === undefined) return [blockingScript(`/${themeScript}`)];
        const assetUrl = (name: string) => {
          const asset = Object.values(bundle).find(
            (file) => file.type === 'asset' && file.names.includes(name),
          );
          if (asset === undefined) throw new Error(`The build has no file ${name}`);
          return `/${asset.fileName}`;
        };
        return [
          blockingScript(assetUrl('initial-theme.js')),
          {
            tag: 'link',
            attrs: {
              rel: 'preload',
              href: assetUrl(textFont),
              as: 'font',
              type: 'font/woff2',
              crossorigin: true,
            },
            injectTo: 'head',
          },
        ];
      },
    },
  };
}

function blockingScript(src: string): HtmlTagDescriptor {
  return { tag: 'script', attrs: { src }, injectTo: 'head-prepend' };
}
