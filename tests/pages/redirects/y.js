window.arrived = true;
