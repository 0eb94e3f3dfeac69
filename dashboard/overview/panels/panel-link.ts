/** The classes of the link from a panel to the view with the details. */
export const panelLinkClasses =
  'rounded-sm text-[0.8125rem] font-medium text-muted underline-offset-3 hover:text-text hover:underline';
