/**
 * Takes the place of `@aws-sdk/credential-provider-node` in the bundles. Lambda gives each function its role's
 * credentials in the environment, and the other places where that package looks for some (profiles, single sign-on,
 * containers) bring 18 kB into every cold start.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */

export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
