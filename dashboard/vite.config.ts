import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type ServerOptions } from 'vite';
import { localDashboardOrigin } from '#dashboard/vite/local-gateway.ts';
import { pageHead } from '#dashboard/vite/page-head.ts';
import { standardErrors } from '#lib/terminal-output.mjs';
import { LocalGatewayError } from '#local/local-gateway-error.ts';

export default defineConfig(async ({ command, isPreview }) => ({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), pageHead()],
  build: {
    // The content security policy allows neither data URLs nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: command === 'serve' && !isPreview ? await developmentServer() : undefined,
}));

/**
 * Serves the page from its sources and passes calls on to the running gateway. Cookies ignore ports, so the session is
 * that of the gateway's own page, where signing in ends as well.
 */
async function developmentServer(): Promise<ServerOptions> {
  const target = await localDashboardOrigin(process.env).catch((error: unknown) => {
    if (!(error instanceof LocalGatewayError)) throw error;
    standardErrors.write(`${error.message}\n`);
    process.exit(1);
  });
  return {
    host: '127.0.0.1',
    proxy: { '/dashboard/api': { target, changeOrigin: true, headers: { origin: target } } },
  };
}
