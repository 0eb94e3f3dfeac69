/** Koa's context, on which oidc-provider is built. */
import type { Provider } from 'oidc-provider';
import { readRequestBody } from '#local/listeners/http-listener.ts';
import { parseJson } from '#local/untyped-json.ts';
import type { Html } from './pages/html.ts';
import type { PageResponse } from './visit.ts';

export type HttpContext = Parameters<Provider['Session']['get']>[0];

const maxBodyBytes = 64 * 1024;

/** The fields of a form, or the value of a JSON body. */
export interface Submission {
  form: URLSearchParams;
  json: unknown;
}

export type Page = (ctx: HttpContext, submission: Submission) => PageResponse | Promise<PageResponse>;

export async function readSubmission(ctx: HttpContext): Promise<Submission> {
  if (ctx.method !== 'POST') return { form: new URLSearchParams(), json: undefined };
  const text = String((await readRequestBody(ctx.req, maxBodyBytes)) ?? '');
  const isJson = ctx.is('application/json') !== false;
  return { form: new URLSearchParams(isJson ? '' : text), json: isJson ? parseJson(text) : undefined };
}

export function respond(ctx: HttpContext, response: PageResponse): void {
  switch (response.kind) {
    case 'page':
      respondWithPage(ctx, response.page, response.status);
      return;
    case 'redirect':
      ctx.redirect(response.url);
      ctx.status = 303;
      return;
    case 'json':
      ctx.set('cache-control', 'no-store');
      ctx.body = response.body;
      return;
    default:
      response satisfies never;
  }
}

export function respondWithPage(ctx: HttpContext, page: Html, status = 200): void {
  ctx.status = status;
  ctx.type = 'html';
  ctx.set({
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
  ctx.body = page.markup;
}
