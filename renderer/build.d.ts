/** What the build makes of files that are not code of the page: style sheets beside it, and scripts of workers by their address. */
declare module '*.css';
declare module '*?worker&url' {
  const address: string;
  export default address;
}
