// A plain script, so that it runs before the first paint: a module would let the wrong colours flash.
const chosen = localStorage.getItem('chronym-theme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen
