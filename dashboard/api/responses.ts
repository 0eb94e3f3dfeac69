/** The types of the API's responses, by the method and the path of a call. */
import type { AnalyticsResponses } from '#lambdas/accounts/analytics/responses.ts';
import type { OrganizationsResponses } from '#lambdas/accounts/organizations/responses.ts';
import type { SignInResponses } from '#lambdas/accounts/sign-in/responses.ts';
import type { TestResponses } from '#lambdas/accounts/test-request/responses.ts';

interface Responses extends SignInResponses, OrganizationsResponses, AnalyticsResponses, TestResponses {}

/** Such as `/sessions/${string}` for the route `/sessions/{id}`. */
type PathOf<Route extends string> = Route extends `${infer Start}{${string}}${infer End}`
  ? `${Start}${string}${PathOf<End>}`
  : Route;

/** `never` if there is no such route. */
export type ResponseTo<Method extends string, Path extends string> = {
  [Name in keyof Responses]: Name extends `${Method} ${infer Route}`
    ? [Path, PathOf<Route>] extends [PathOf<Route>, Path]
      ? Responses[Name]
      : never
    : never;
}[keyof Responses];

/** The path of a route, which the compiler then knows the response of. */
export type KnownPath<Method extends string, Path extends string> = [ResponseTo<Method, Path>] extends [never]
  ? never
  : Path;
