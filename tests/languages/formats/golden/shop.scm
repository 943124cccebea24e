scm Shop :

nb_channels = 2 ;
/*# lossy: 0 #*/
/* stormproof: unreliable role Shop */
/* stormproof: faults Buyer -> Shop: loss, reorder */
/* stormproof: faults Shop -> Buyer: corrupt(price(int) => soldOut) */
/* stormproof: message order_item = "order<item>" */
/* stormproof: message price_int = "price(int)" */
/* stormproof: message crash = crash */

parameters :
real order_item ;
real price_int ;
real soldOut ;
real crash ;

automaton Buyer :

initial : 0

state 0 :
to 1 : when true , 0 ! order_item ;

state 1 :
to 2 : when true , 1 ? price_int ;
to 0 : when true , 1 ? soldOut ;
to 2 : when true , 1 ? crash ;

state 2 :

automaton Shop :

initial : 0

state 0 :
to 1 : when true , 0 ? order_item ;
to 3 : when true /* stormproof: internal crash */ ;

state 1 :
to 2 : when true , 1 ! price_int ;
to 0 : when true , 1 ! soldOut ;
to 3 : when true /* stormproof: internal crash */ ;

state 2 :

state 3 :
to 4 : when true , 1 ! crash ;

state 4 :

automaton Auditor :

initial : 0

state 0 :
