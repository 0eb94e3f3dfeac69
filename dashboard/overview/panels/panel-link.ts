/** Of the link from a panel to the view that tells more. */
export const panelLinkClasses =
  'rounded-sm text-[0.8125rem] font-medium text-muted underline-offset-3 hover:text-text hover:underline';
